"""Users' own networks: subclasses of Matcher, Tower or SpanNetwork, by import path.

Only such classes are built, which code for something else never is: the arguments come from a model folder.
Their outputs are checked at every step, and their errors become textkin's.
"""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn.functional import normalize

from textkin.base.errors import TextkinError, UsageError, invalid
from textkin.base.import_path import failed, imported
from textkin.networks.architectures.matcher import Matcher
from textkin.networks.architectures.span_network import SpanLogits, SpanNetwork
from textkin.networks.architectures.tower import Tower
from textkin.networks.batches.padded import TextBatch

Role = Matcher | Tower | SpanNetwork
"""A network of textkin's trainer: of pairs, of texts, or of passages."""

_KIND = "architecture"


def own_architecture(path: str) -> type[Role]:
    """The class at an import path.

    Raises:
        UsageError: there is none, or it is not a network for textkin.
    """
    found = imported(path, kind=_KIND)
    if isinstance(found, type) and issubclass(found, Role) and not getattr(found, "__abstractmethods__", ()):
        return found
    raise invalid(_KIND, path, expected="a class derived from Matcher or Tower, with a method forward")


def checked(network: Role, path: str) -> OwnMatcher | OwnTower | OwnReader:
    """An own network whose outputs are checked."""
    if isinstance(network, Matcher) and not hasattr(network, "outputs"):
        raise invalid(_KIND, path, expected="a class whose __init__ calls super().__init__(outputs=...)")
    if isinstance(network, Matcher):
        return OwnMatcher(network, path)
    return OwnTower(network, path) if isinstance(network, Tower) else OwnReader(network, path)


class OwnMatcher(Matcher):
    """A user's matcher; one number per pair may be a vector.

    Args:
        network: the network.
        path: its import path, for messages.
    """

    def __init__(self, network: Matcher, path: str) -> None:
        super().__init__(network.outputs)
        self.network, self.path = network, path

    def forward(self, a: TextBatch, b: TextBatch) -> Tensor:
        """Scores or class logits of the pairs. Shape [B, outputs]."""
        found = _called(self, a, b)
        if isinstance(found, Tensor) and found.ndim == 1 == self.outputs:
            found = found.unsqueeze(1)
        return _numbers(self, found, (len(a.ids), self.outputs))


class OwnTower(Tower):
    """A user's tower; its vectors are made unit vectors here.

    Args:
        network: the network, with ``dim``.
        path: its import path, for messages.
    """

    def __init__(self, network: Tower, path: str) -> None:
        super().__init__()
        self.network, self.path = network, path
        dim = getattr(network, "dim", None)
        if not isinstance(dim, int) or dim < 1:
            raise invalid(_KIND, path, expected="a network with an attribute dim, the width of its vectors")
        self.dim = dim
        self.unknown_weight = network.unknown_weight

    def forward(self, batch: TextBatch) -> Tensor:
        """One unit vector per text. Shape [B, dim]."""
        return normalize(_numbers(self, _called(self, batch), (len(batch.ids), self.dim)), dim=1)


class OwnReader(SpanNetwork):
    """A user's reader.

    Args:
        network: the network.
        path: its import path, for messages.
    """

    def __init__(self, network: SpanNetwork, path: str) -> None:
        super().__init__(most=network.most, answers_none=network.answers_none)
        self.network, self.path = network, path

    def forward(self, question: TextBatch, context: TextBatch) -> SpanLogits:
        """The logits of the windows for the questions."""
        found = _called(self, question, context)
        shape = tuple(context.ids.shape)
        if not isinstance(found, SpanLogits):
            raise _wrong(self.path, type(found).__name__, "SpanLogits")
        start, end = (_numbers(self, one, shape) for one in (found.start, found.end))
        none = None if found.none is None else _numbers(self, found.none, (shape[0], 2))
        return SpanLogits(start, end, none)


Own = OwnMatcher | OwnTower | OwnReader
"""A user's network, checked."""


def try_out(own: Own, *, size: int, pad_id: int) -> None:
    """Try a network on two texts, before anything is trained.

    Args:
        own: the network.
        size: number of token ids.
        pad_id: the id of padding.

    Raises:
        UsageError: it fails, or gives NaN, numbers of another shape, or others when padding is added.
    """
    ids = torch.full((2, 3), pad_id)
    ids[0], ids[1, 0] = torch.arange(3).remainder(size), size - 1
    both = TextBatch(ids, torch.tensor([[True, True, True], [True, False, False]]))
    alone = TextBatch(ids[1:, :1], both.mask[1:, :1])
    trains = own.training
    own.eval()
    with torch.no_grad(), torch.random.fork_rng():
        together, apart = (
            _first(own(batch) if isinstance(own, OwnTower) else own(batch, batch)) for batch in (both, alone)
        )
    own.train(trains)
    if not (torch.isfinite(together).all() and torch.isfinite(apart).all()):
        raise _wrong(own.path, "NaN or infinity", "finite numbers for any text")
    if not torch.allclose(together[1:, : apart.shape[1]], apart, atol=1e-4):
        raise _wrong(
            own.path, "other numbers when padding is added", "numbers that depend on the texts alone"
        )


def _first(found: Tensor | SpanLogits) -> Tensor:
    return found.start if isinstance(found, SpanLogits) else found


def _called(own: Own, *texts: TextBatch) -> object:
    try:
        return own.network(*texts)
    except (TextkinError, torch.OutOfMemoryError):
        raise
    except Exception as error:
        raise failed(own.path, error, kind=_KIND) from error


def _numbers(own: Own, found: object, shape: tuple[int, ...]) -> Tensor:
    """An output of the right shape, through which a loss reaches the weights in training.

    Raises:
        UsageError: it isn't.
    """
    path = own.path
    if not isinstance(found, Tensor) or not found.is_floating_point():
        raise _wrong(path, type(found).__name__, f"numbers of shape {list(shape)}")
    if tuple(found.shape) != shape:
        raise _wrong(path, f"shape {list(found.shape)}", f"shape {list(shape)}")
    learns = own.training and torch.is_grad_enabled() and any(one.requires_grad for one in own.parameters())
    if learns and not found.requires_grad:
        raise _wrong(path, "no gradient", "an output that depends on its weights")
    return found


def _wrong(path: str, what: str, expected: str) -> UsageError:
    return UsageError(
        f"`{_KIND}` {path} gives {what}, expected {expected}",
        fix="see the method forward of the network",
        params=(_KIND,),
        value=what,
        expected=expected,
    )

"""Users' own losses: functions of tensors, or classes of such functions, by import path.

The names of the inputs say what a loss takes, as those of the bundled losses do: ``(scores, labels)``,
``(distances, labels)``, ``(positive, negative)``. Several bundled ones share the first; an attribute
``takes``, such as "class-scores", tells them apart. Options are the arguments by name, of a class those of
its constructor.
"""

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import torch
from torch import Tensor

from textkin.base.errors import UsageError, invalid, unknown_choice
from textkin.base.import_path import called, imported
from textkin.networks.losses.common import LossInput
from textkin.networks.losses.loss import Loss

_KIND = "loss"


@dataclass(frozen=True, slots=True)
class CheckedLoss:
    """A user's loss whose values are checked.

    Attributes:
        path: its import path.
        function: the loss.
        options: its keyword arguments; missing ones have their defaults.
    """

    path: str
    function: Callable[..., Any]
    options: Mapping[str, Any] = field(default_factory=dict)

    def __call__(self, *inputs: Any) -> Tensor:
        """The loss of a batch, a scalar.

        Raises:
            UsageError: it fails, or gives no scalar with a gradient.
        """
        found = called(self.path, self.function, *inputs, kind=_KIND, options=self.options)
        if not isinstance(found, Tensor) or found.numel() != 1:
            shape = list(found.shape) if isinstance(found, Tensor) else type(found).__name__
            raise _wrong(self.path, f"{shape}", "one number of a batch")
        learns = any(isinstance(one, Tensor) and one.requires_grad for one in inputs)
        if learns and torch.is_grad_enabled() and not found.requires_grad:
            raise _wrong(self.path, "a number without gradient", "one that depends on the network's output")
        return found.reshape(())


def own_loss(path: str, known: Mapping[tuple[str, ...], LossInput]) -> Loss:
    """The loss at an import path, with its defaults.

    Args:
        path: the import path.
        known: what a loss takes, by the names of its inputs.

    Raises:
        UsageError: there is none, or its inputs have other names.
    """
    found = imported(path, kind=_KIND)
    if not callable(found):
        raise invalid(_KIND, path, expected="a function of tensors, or a class of such functions")
    names = inputs_of(found)
    takes = getattr(found, "takes", known.get(names))
    if takes is None:
        inputs = " or ".join(f"({', '.join(one)})" for one in known)
        raise invalid(_KIND, path, expected=f"inputs called {inputs}, or an attribute takes")
    if takes not in tuple(LossInput):
        raise unknown_choice(f"{path}.takes", takes, tuple(LossInput))
    return Loss(CheckedLoss(path, found), LossInput(takes), {})


def options_of(found: Callable[..., Any]) -> dict[str, Any]:
    """The options of an own loss, with their types where these are said."""
    parameters = inspect.signature(found).parameters.values()
    positional = (inspect.Parameter.POSITIONAL_OR_KEYWORD,) if isinstance(found, type) else ()
    named = (inspect.Parameter.KEYWORD_ONLY, *positional)
    return {one.name: one.annotation for one in parameters if one.kind in named}


def with_options(loss: Loss, checked: CheckedLoss, options: Mapping[str, Any]) -> Loss:
    """An own loss with values for its options; a class is called with them once.

    Raises:
        UsageError: the constructor fails.
    """
    if not isinstance(checked.function, type):
        return replace(loss, function=replace(checked, options=dict(options)))
    made = called(checked.path, checked.function, kind=_KIND, options=options)
    return replace(loss, function=CheckedLoss(checked.path, made))


def inputs_of(found: Callable[..., Any]) -> tuple[str, ...]:
    """The names of the tensors that a loss takes."""
    if isinstance(found, type):
        found = getattr(found, "forward", found.__call__)
    positional = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    names = [one.name for one in inspect.signature(found).parameters.values() if one.kind in positional]
    return tuple(name for name in names if name != "self")


def _wrong(path: str, what: str, expected: str) -> UsageError:
    return UsageError(
        f"`{_KIND}` {path} gives {what}, expected {expected}", params=(_KIND,), value=what, expected=expected
    )

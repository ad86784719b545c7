"""Trained networks as textkin's encoders, scorers and classifiers."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from functools import cached_property
from itertools import chain, islice
from pathlib import Path
from typing import Any, Self

import numpy as np

from textkin.base.arrays import Floats32, Ints32
from textkin.base.errors import UsageError
from textkin.base.first_seen_numbers import enumerated
from textkin.base.progress import remark
from textkin.base.python_inputs import one_or_several, text_pairs_of, texts_of
from textkin.base.row_cache import RowCache
from textkin.data.attention_map import AttentionMap
from textkin.data.encode_arguments import EncodesTexts
from textkin.data.protocols import Side
from textkin.data.token_attributions import Addends, TokenShares
from textkin.models.inference.attention import HeadChoice, attention_maps, is_sum, late_shares, token_rows
from textkin.models.inference.engine import Computes, Engine, match_ids, may_take_bf16, token_states_of
from textkin.models.inference.faster_way import sample_of
from textkin.models.inference.precision import self_check
from textkin.models.inference.trained_network import InPrecision, TrainedNetwork
from textkin.models.light_network import LightNetwork
from textkin.models.manifest import points_at_answers
from textkin.models.model_folder import Model, load_model
from textkin.models.network_outputs import finite, log_odds, require_similarity, softmax
from textkin.models.packed_weights import is_packed
from textkin.models.provenance import hash_of_scorer
from textkin.models.self_check import SelfCheck
from textkin.networks.architectures.late_interaction import LateInteraction
from textkin.networks.architectures.matcher import Matcher
from textkin.networks.architectures.span_network import SpanNetwork
from textkin.networks.architectures.static import StaticTower
from textkin.networks.architectures.table import Network
from textkin.networks.architectures.tower import Tower
from textkin.text.baselines.cosine_addends import scaled_to, unit_sum
from textkin.text.baselines.mean_pooling import unit_rows
from textkin.text.pipeline import ReadsByPipeline, TextPipeline, WordPipeline
from textkin.text.token_texts import named_tokens, names_of
from textkin.text.tokenizer_pipeline import TokenizerPipeline
from textkin.text.unknown_tokens import UnknownOf
from textkin.text.unknown_vectors import UnknownVectors
from textkin.version import __version__

WINDOW = 16_384
"""The number of texts that are tokenised and sorted by length at a time."""

_CHECKED = 1_024
_MANY = 250_000  # characters, more than the 32,768 tokens from which bf16 is tried


class _Comparing(ReadsByPipeline, TrainedNetwork):
    """Base class of networks that compare texts."""

    _module: Network
    _cache: RowCache | None = None

    def cache_in(self, path: Path | str) -> None:
        """Read known outputs from a file, and store new ones there.

        A model that is only in memory has no hash to identify it, and stores nothing.

        Raises:
            OutputError: the file can't be written, or is of another kind.
            UsageError: the model's folder can't be read.
        """
        if self.model is None or self.model.folder is None:
            return
        made_by = {"model": hash_of_scorer(self.model.folder), "textkin": __version__, **self._made_in()}
        self._cache = RowCache(path, made_by=made_by, name=self.name)

    def _made_in(self) -> dict[str, str]:
        """Everything the numbers depend on besides the model."""
        return {}

    def _cached(
        self, asked: Sequence[tuple[str, ...]], make: Callable[[Sequence[Any]], Floats32], width: int
    ) -> Floats32:
        """Rows from the cache, if any, and from ``make``. Shape [asked, width]."""
        return make(asked) if self._cache is None else self._cache.rows(asked, make, width=width)

    def _matched(self, pairs: Sequence[tuple[str, str]], outputs: int) -> Floats32:
        """A matcher's outputs for pairs of texts, shape [pairs, outputs].

        Each distinct pair is scored once, so equal pairs tie.
        """
        rows, distinct = enumerated(text_pairs_of(pairs))
        return self._cached(distinct, self._matched_each, outputs)[rows]

    def _matched_each(self, pairs: Sequence[tuple[str, str]]) -> Floats32:
        a, b = _ids_of(self._pipeline, pairs)
        tokens = sum(map(len, a)) + sum(map(len, b))
        step = sample_of(tokens)

        def around_mean(module: Matcher) -> Floats32:
            found = match_ids(module, a[step], b[step], pad_id=self._pipeline.pad_id)
            return (found - found.mean()).reshape(1, -1)

        module = self._network_for(tokens, around_mean)
        return finite(match_ids(module, a, b, pad_id=self._pipeline.pad_id), self._name)

    def attention(self, a: str, b: str, *, choice: HeadChoice | None = None) -> list[AttentionMap]:
        """The network's attention between two texts; see :func:`attention.attention_maps`."""
        tokens = [named_tokens(self._pipeline, text) for text in texts_of([a, b])]
        return attention_maps(self._module, *tokens, pad_id=self._pipeline.pad_id, choice=choice)

    def __reduce__(self) -> Any:
        """Pickle as the folder."""
        return _again, (self._folder(),)

    def settings(self) -> dict[str, Any]:
        """Its settings, for a passport: architecture, arguments and text pipeline."""
        found: dict[str, Any] = {"text": self._pipeline.to_dict()}
        if self.loaded is not None:
            found |= {"architecture": self.loaded.architecture, "arguments": dict(self.loaded.arguments)}
        return found


class NeuralEncoder(_Comparing, InPrecision[Engine], EncodesTexts):
    """A trained tower as an ``Encoder``: unit vectors, cosine scores.

    Args:
        module: the tower; it is put into evaluation mode while it encodes.
        pipeline: texts to ids.
        name: its name in tables.
        loaded: the content of the model folder, if loaded from one.
        computes: the precision of matrix products.

    Raises:
        UsageError: at the first text, if bf16 is requested and unsupported by the network or this machine.
    """

    _module: Tower

    def __init__(
        self,
        module: Tower,
        pipeline: TextPipeline,
        *,
        name: str,
        loaded: Model | None = None,
        computes: Computes = "fp32",
    ) -> None:
        super().__init__(module, pipeline, name=name, loaded=loaded)
        self.computes: Computes = computes
        self._exact: Self | None = None
        self._fast: Self | None = None

    @property
    def dim(self) -> int:
        """Width of the vectors."""
        return self._module.dim

    def _encode(self, texts: list[str], side: Side) -> Floats32:
        """Unit vectors; sides differ if the model has prompts for them.

        Unknown tokens are added by their spelling, so that texts differ by them, except in transformers. Each
        distinct text is encoded once, so equal texts have bitwise equal vectors, and tie.
        """
        if (settled := self._settled(texts)) is not self:
            return settled._encode(texts, side)
        rows, distinct = enumerated(texts)
        mark = (str(side),) if self.has_sides else ()

        def vectors(asked: Sequence[tuple[str, ...]]) -> Floats32:
            given = [one[-1] for one in asked]
            windows = (given[start : start + WINDOW] for start in range(0, len(given), WINDOW))
            none = np.empty((0, self.dim), dtype=np.float32)
            return np.concatenate([none, *self.stream(windows, side=side)])

        return self._cached([(*mark, text) for text in distinct], vectors, self.dim)[rows]

    def _made_in(self) -> dict[str, str]:
        return {"computes": self.computes}

    def stream(self, windows: Iterable[Sequence[str]], *, side: Side = Side.TEXT) -> Iterator[Floats32]:
        """The vectors of each window of texts, shape [its texts, dim].

        The next window is tokenised while the network processes this one; a single window needs no thread.
        """
        left = iter(windows)
        first = list(islice(left, 2))
        if len(first) < 2:
            yield from (self._vectors(*self._pipeline.read(window, side=side)) for window in first)
            return
        with ThreadPoolExecutor(1) as ahead:
            waiting: Future[tuple[list[Ints32], UnknownOf]] | None = None
            for window in chain(first, left):
                coming = ahead.submit(self._pipeline.read, window, side=side)
                if waiting is not None:
                    yield self._vectors(*waiting.result())
                waiting = coming
            if waiting is not None:
                yield self._vectors(*waiting.result())

    @one_or_several
    def network_vectors(self, texts: Sequence[str], *, side: Side = Side.TEXT) -> Floats32:
        """The network's own vectors, as in exports, without those of unknown tokens."""
        return self._of_network(self._pipeline.ids(texts, side=side))

    def token_vectors(self, texts: Sequence[str], *, side: Side = Side.TEXT) -> list[Floats32]:
        """The last state of each token of each text, including special ones. Shape [tokens, width] each.

        Raises:
            UsageError: the network isn't a transformer.
        """
        ids = self._pipeline.ids(texts_of(texts), side=side)
        found = token_states_of(self._module, ids, pad_id=self._pipeline.pad_id)
        return [finite(one, self._name) for one in found]

    def _without_prompts(self) -> EncodesTexts:
        if not (self.has_sides and isinstance(self._pipeline, TokenizerPipeline)):
            return self
        plain = NeuralEncoder(
            self._module, self._pipeline.without_prompts(), name=self._name, computes=self.computes
        )
        plain._engine = self._engine  # rearranged once
        return plain

    @property
    def is_table(self) -> bool:
        """True if vectors are means of a table."""
        return isinstance(self._module, StaticTower)

    @property
    def has_sides(self) -> bool:
        """True if queries and documents have prompts, so that they are encoded differently."""
        return bool(getattr(self._pipeline, "prompts", {}))

    def prompt_of(self, side: Side) -> str:
        """The prompt for the texts of a side."""
        return str(getattr(self._pipeline, "prompts", {}).get(side, ""))

    @property
    def adds_unknown(self) -> bool:
        """True if unknown tokens are added by their spelling."""
        return self._pipeline.adds_unknown

    def check(self, texts: Sequence[str]) -> SelfCheck:
        """Measure the best precision on a few texts; see :func:`precision.self_check`."""
        sample = texts[:: max(1, len(texts) // _CHECKED)]
        ids = self._pipeline.ids(sample)
        module = self.as_scored._placed(ids, texts=len(texts))
        return self_check(module, ids, pad_id=self._pipeline.pad_id, texts=len(texts))

    def computing(self, computes: Computes) -> Self:
        """The same encoder with matrix products in ``computes``.

        Raises:
            UsageError: the network or this machine doesn't support it.
        """
        found = type(self)(
            self._module, self._pipeline, name=self._name, loaded=self.loaded, computes=computes
        )
        found._for_many = self.as_scored._for_many
        if computes != "fp32":
            _ = found._engine  # created now, so that a lack of support is reported before texts are read
        return found

    def choosing(self) -> Self:
        """The same encoder, whose vectors of many texts are in the fastest precision that is close enough.

        It is measured once, by :meth:`check`, and told in a remark. Scores, and vectors of a few texts, are
        in the precision of this one.
        """
        if not may_take_bf16(self._module):
            return self
        found = self.computing(self.computes)
        found._exact = self
        return found

    @property
    def as_scored(self) -> Self:
        """The encoder in the precision of scores."""
        return self if self._exact is None else self._exact

    def _settled(self, texts: Sequence[str]) -> Self:
        """The encoder in the precision for these texts."""
        if self._exact is None or sum(map(len, texts)) < _MANY:
            return self.as_scored
        if self._fast is None:
            check = self.check(texts)
            remark(f"vectors of {self.name}: {check}")
            same = check.computes == self.computes
            self._fast = self._exact if same else self.computing(check.computes)
        return self._fast

    def _vectors(self, ids: list[Ints32], unknown: UnknownOf) -> Floats32:
        """The vectors of texts, including unknown tokens."""
        vectors = finite(self._of_network(ids), self._name)
        if not unknown or not self._pipeline.adds_unknown:
            return vectors
        vectors = vectors.copy()
        for place, found in unknown.items():
            if self.is_table:
                known = token_rows(self._module, ids[place], pad_id=self._pipeline.pad_id).sum(axis=0)
            else:  # the sum of n token vectors is about as long as the square root of n
                known = np.sqrt(len(ids[place])) * vectors[place]
            vectors[place] = known + self._unknown.total(found)
        return unit_rows(vectors)

    @cached_property
    def _unknown(self) -> UnknownVectors:
        """Vectors for unknown tokens; of a table with the length that its exported copy gives them."""
        module = self._module
        length = module.usual_length() if isinstance(module, StaticTower) else module.unknown_weight
        return UnknownVectors(self.dim, length=length)

    @property
    def adds_up(self) -> bool:
        """True if a text's vector is the direction of a sum over its tokens."""
        return is_sum(self._module)

    def addends(self, text: str, *, second: bool = False) -> Addends:
        """Each token's addend of a text's vector, and that of unknown tokens. Shape [tokens, dim].

        Raises:
            UsageError: the vector isn't such a sum.
        """
        if not self.adds_up:
            raise UsageError(f"the vectors of {self._name} are no sums over tokens", fix="leave words out")
        (ids,), unknown = self._pipeline.read([text])
        names = names_of(self._pipeline, text, ids)
        rows = token_rows(self._module, ids, pad_id=self._pipeline.pad_id)
        if isinstance(self._pipeline, WordPipeline) and self._pipeline.ngrams is not None:
            words, owners = self._pipeline.owners(text)  # n-grams have no names; their words do
            names, of_ids = tuple(words), rows
            rows = np.zeros((len(words), self.dim))
            np.add.at(rows, owners, of_ids)
        if not self._pipeline.adds_unknown:
            return unit_sum(names, rows)
        if not self.is_table:
            rows = scaled_to(np.sqrt(len(ids)), rows)  # as in _vectors
        return unit_sum(names, rows, unknown=unknown.get(0), vectors=self._unknown)

    def _of_network(self, ids: list[Ints32]) -> Floats32:
        """The network's vectors, by loops for a few tokens where that is measured to be faster."""
        light = self._light
        if light is not None and light.may_loop(ids) and self._loops_pay:
            return unit_rows(light.means(ids, by_loop=True))
        return self._engine_for(ids).vectors(ids)

    def load_loops(self) -> None:
        """Load the loops for a few tokens now, not only once they pay off."""
        if self._light is not None:
            self._light.load_loops()

    @cached_property
    def _light(self) -> LightNetwork | None:
        """The network of a folder of packed weights in fp32; None for others."""
        if self._exact is not None:
            return self._exact._light
        folder = None if self.model is None else self.model.folder
        if folder is None or not is_packed(folder) or self.computes != "fp32":
            return None
        on_cpu = next(self._module.parameters()).device.type == "cpu"
        return LightNetwork(folder) if on_cpu else None

    @cached_property
    def _loops_pay(self) -> bool:
        return self._light is not None and self._light.loops_beat(self._engine.vectors)

    @cached_property
    def _engine(self) -> Engine:
        if self._exact is not None:
            return self._exact._engine  # rearranged once
        return self._engine_of(self._module)

    def _engine_of(self, module: Any) -> Engine:
        return Engine(module, pad_id=self._pipeline.pad_id, computes=self.computes)

    def _engine_for(self, ids: list[Ints32]) -> Engine:
        if self._exact is not None:
            return self._exact._engine_for(ids)
        return self._engine_on(self._placed(ids, texts=len(ids)))

    def _placed(self, ids: list[Ints32], *, texts: int) -> Tower:
        """The network for so many texts, of which these are some."""
        tokens = sum(map(len, ids))
        module: Tower = self._network_for(
            tokens * texts // max(1, len(ids)),
            lambda module: self._engine_of(module).vectors(ids[sample_of(tokens)]),
        )
        return module

    def __reduce__(self) -> Any:
        """Pickle as the folder it is loaded from again, for example in another process."""
        return _again, (self._folder(), self.computes)

    @one_or_several
    def score(self, pairs: Sequence[tuple[str, str]]) -> Floats32:
        """The cosine of each pair, both encoded as documents. Shape [pairs]."""
        pairs = text_pairs_of(pairs)
        a, b = np.split(self.as_scored.encode([a for a, _ in pairs] + [b for _, b in pairs]), 2)
        cosines: Floats32 = np.einsum("ij,ij->i", a, b)
        return cosines.clip(-1, 1)  # rounding may leave 1.0000001


class NeuralScorer(_Comparing):
    """A trained matcher with one output as a ``Scorer``.

    Args:
        module: the matcher; it is put into evaluation mode while it scores.
        pipeline: texts to ids.
        name: its name in tables.
        loaded: the content of the model folder, if loaded from one.
    """

    gives_logits = True
    _module: Matcher

    def shares(self, a: str, b: str) -> TokenShares | None:
        """Each token pair's contribution to a late-interaction score; None for other networks."""
        if not isinstance(self._module, LateInteraction):
            return None
        (products,) = self.attention(a, b)
        return late_shares(products)

    @one_or_several
    def score(self, pairs: Sequence[tuple[str, str]]) -> Floats32:
        """The score of each pair, any real number. Shape [pairs]."""
        return self._matched(pairs, 1)[:, 0]


class NeuralClassifier(_Comparing):
    """A trained matcher with one output per class; with two classes also a ``Scorer``.

    Args:
        module: the matcher; it is put into evaluation mode while it classifies.
        pipeline: texts to ids.
        name: its name in tables.
        labels: the classes in the order of the outputs.
        loaded: the content of the model folder, if loaded from one.
    """

    _module: Matcher

    def __init__(
        self,
        module: Matcher,
        pipeline: TextPipeline,
        *,
        name: str,
        labels: Sequence[str],
        loaded: Model | None = None,
    ) -> None:
        super().__init__(module, pipeline, name=name, loaded=loaded)
        self.labels = tuple(labels)

    @one_or_several
    def classify(self, pairs: Sequence[tuple[str, str]]) -> Floats32:
        """The probability of each class. Shape [pairs, labels]."""
        return softmax(self._matched(pairs, len(self.labels)))

    @one_or_several
    def score(self, pairs: Sequence[tuple[str, str]]) -> Floats32:
        """The log-odds of the second of two classes. Shape [pairs].

        Raises:
            UsageError: there are more than two classes, so none of them means similar.
        """
        require_similarity(self.labels, self._name)
        return log_odds(self._matched(pairs, 2))


def load_scorer(folder: Path | str) -> NeuralEncoder | NeuralScorer | NeuralClassifier:
    """Load the model in a folder: an encoder, a scorer of pairs, or a classifier.

    Args:
        folder: a textkin model folder, or a sentence encoder's folder of another library.

    Raises:
        ModelError: the folder is missing, incomplete, truncated, foreign, written by a newer textkin, or
            contains a model of another kind.
    """
    return scorer_of(load_model(folder))


def scorer_of(model: Model) -> NeuralEncoder | NeuralScorer | NeuralClassifier:
    """Wrap a model as an encoder, a scorer of pairs, or a classifier.

    Raises:
        ModelError: it is a reader.
    """
    if isinstance(model.module, SpanNetwork):
        raise points_at_answers(model.facts)
    if isinstance(model.module, Tower):
        return NeuralEncoder(model.module, model.pipeline, name=model.name, loaded=model)
    if model.facts.classes:
        return NeuralClassifier(
            model.module, model.pipeline, name=model.name, labels=model.facts.classes, loaded=model
        )
    return NeuralScorer(model.module, model.pipeline, name=model.name, loaded=model)


def _again(folder: Path, computes: Computes = "fp32") -> NeuralEncoder | NeuralScorer | NeuralClassifier:
    """Unpickle the model from its folder."""
    found = load_scorer(folder)
    return found.computing(computes) if isinstance(found, NeuralEncoder) else found


def match_texts(module: Matcher, pipeline: TextPipeline, pairs: Sequence[tuple[str, str]]) -> Floats32:
    """A matcher's outputs for pairs of texts, shape [pairs, outputs].

    Each distinct pair is scored once, so equal pairs tie.
    """
    rows, distinct = enumerated(text_pairs_of(pairs))
    sides = _ids_of(pipeline, distinct)
    return finite(match_ids(module, *sides, pad_id=pipeline.pad_id), "this model")[rows]


def _ids_of(pipeline: TextPipeline, pairs: Sequence[tuple[str, str]]) -> tuple[list[Ints32], list[Ints32]]:
    """The ids of the first and the second texts."""
    texts = list(dict.fromkeys(text for pair in pairs for text in pair))
    ids = dict(zip(texts, pipeline.ids(texts), strict=True))
    return [ids[a] for a, _ in pairs], [ids[b] for _, b in pairs]

"""A collection with its model, returned by ``tk.open_collection`` and used by the commands."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Unpack

from textkin.base.argument_checks import checked
from textkin.base.closing import Closing
from textkin.base.errors import inapplicable, invalid
from textkin.base.progress import note, progress
from textkin.base.python_inputs import in_order, path_of, texts_of
from textkin.collection.collection_model import AnyEncoder, CollectionModel, OpensModels
from textkin.collection.match.fit_matching import fit_matching
from textkin.collection.match.labelled_matches import Rehearsal
from textkin.collection.match.match import Match, MatchResult, match_texts
from textkin.collection.match.match_labels import MatchLabels
from textkin.collection.match.match_rules import ChosenRule, MatchArguments, MatchOptions, RuleOfCollection
from textkin.collection.match.nearest_entries import deciding, text_windows
from textkin.collection.noted_model import KnownModel
from textkin.collection.search.explain import ExplainedHit, explain_hits
from textkin.collection.search.options import LEAST_DEPTH, Mode, SearchArguments, SearchOptions
from textkin.collection.search.rankings import CollectionSearch
from textkin.collection.search.reranker import Reranker
from textkin.collection.search.search import EntryHit, SearchResult, search
from textkin.collection.store.address import Place
from textkin.collection.store.collection_store import CollectionStore
from textkin.collection.store.filter_notes import FilterNote
from textkin.data.entry_records import Added, Entry
from textkin.data.readers.entries import EntryFile, EntryReading, as_entries, distinct, entry_ids_of
from textkin.data.readers.from_python import loaded_pairs
from textkin.data.readers.read_report import ReadReport, SkipCounter
from textkin.kinds.explanation import Explained, explain
from textkin.kinds.systems import AnyModel
from textkin.kinds.systems.open_folder import open_model
from textkin.measures.decisions.match_rule import PRECISION
from textkin.text.baselines.bm25_parameters import Bm25Parameters
from textkin.text.truncation_account import Truncation
from textkin.vectors.groups.guards import STANDARD, guards_of
from textkin.vectors.unknown_token_report import Coverage

if TYPE_CHECKING:
    from textkin.collection.calibration.calibration_result import CalibratedCollection
    from textkin.measures.decisions.goal import Goal


class OpenCollection(Closing):
    """An open collection, returned by :func:`textkin.open_collection`. A context manager.

    Once :meth:`add` or :meth:`remove` reports an entry, the change is durable and visible to the next search
    of any process. Calls from several threads take turns.

    Example:
        >>> import textkin as tk
        >>> with tk.open_collection("notes", create=True) as notes:
        ...     added = notes.add(["Where can I park?", "When do you open?"])
        ...     len(notes), notes.remove(where="year < 2000")
        (2, 0)
    """

    def __init__(
        self,
        store: CollectionStore,
        model: AnyEncoder | None,
        *,
        accept_drift: bool = False,
        open_by: OpensModels = open_model,
    ) -> None:
        self.store = store
        self.given = model, accept_drift
        known = KnownModel.of(store, store.place)
        self.model = CollectionModel(
            model, known, window=store.window, accept_drift=accept_drift, open_by=open_by
        )
        self.reranker: Reranker | None = None
        self.rules = RuleOfCollection(store, self.model)
        self._warned: set[str] = set()

    @property
    def folder(self) -> Place:
        """The collection's location: a folder, or a database address."""
        return self.store.place

    @checked
    def add(
        self,
        data: Any,
        *,
        ids: Sequence[str] | None = None,
        metadata: Sequence[Any] | None = None,
        reading: EntryReading | None = None,
    ) -> Added:
        """Add texts, replacing entries with the same ids.

        Args:
            data: a text, any number of texts or :class:`textkin.Entry`, or the path of a file.
            ids: ids of the given texts; hashes of the texts if None.
            metadata: metadata of the given texts, JSON values by name.
            reading: options for reading a file.

        Raises:
            UsageError: arguments don't go together.
            DataError: the file can't be read, or an entry can't be stored; earlier entries are stored.
            ModelError: the model can't be opened.
            OutputError: another process is writing, or the disk is full.
        """
        path = path_of(data, or_text=True)
        if path is not None:
            if ids is not None or metadata is not None:
                raise inapplicable("ids", "metadata", to="a file", fix="give `reading`")
            return self.add_file(EntryFile(path, reading=reading))[0]
        entries = as_entries([data] if isinstance(data, str) else data, ids, metadata)
        return self.take(distinct(entries), quiet=True)

    def add_file(self, file: EntryFile, *, wait: float | None = None) -> tuple[Added, ReadReport]:
        """Add a file's entries. Returns the outcome, and the rows that the reader skipped."""
        counter = SkipCounter(file.path)
        return self.take(file.entries(counter), wait=wait), counter.report()

    def take(self, entries: Iterable[Entry], *, wait: float | None = None, quiet: bool = False) -> Added:
        """Add entries, with a progress bar of the entries on disk."""
        self.seal()
        done = Added()
        with progress(f"adding to {self.folder.name}", quiet=quiet) as shown:
            parts = self.model.parts
            for part in self.store.add(entries, self.model.encode, windows_of=parts, wait=wait):
                done += part
                shown.advance(part.given)
        return done

    def seal(self) -> None:
        """Store the model's passport if the collection has none; :meth:`add` does so itself.

        Raises:
            VerifyError: the model isn't the one that made the collection.
            OutputError: another process is writing, or the disk is full.
        """
        self.model.seal(self.store)

    @checked
    def remove(self, ids: Sequence[str] = (), *, where: str | None = None) -> int:
        """Remove entries by id or by a filter, and return their number.

        Raises:
            UsageError: the filter can't be parsed, or ``ids`` is one text.
            OutputError: another process is writing, or the disk is full.
        """
        if isinstance(ids, str):
            raise invalid("ids", ids, expected="a list of ids")
        for one in () if where is None else self.filter_notes(where):
            note(str(one))
        return self.store.remove(entry_ids_of(in_order(ids, "ids")), where=where)

    @checked
    def search(
        self,
        queries: str | Sequence[str],
        **options: Unpack[SearchArguments],
    ) -> SearchResult:
        """Find the entries that match one or more queries, best first.

        Args:
            queries: one text, whose hits are returned, or several, with a list of hits each.
            options: ``k``, ``mode``, ``where``, ``min_probability``, ``min_score``, ``rerank``,
                ``rerank_depth``, ``probe`` and ``bm25``, as in :func:`textkin.search`.

        Raises:
            UsageError: an argument is out of range, the filter can't be parsed, or there are no
                probabilities.
            ModelError: the model doesn't exist, or has changed.
            DataError: the collection is damaged.
        """
        asked = texts_of(queries, name="queries")
        found = self.find(asked, SearchOptions(**options))
        return replace(found, one_query=isinstance(queries, str))

    def find(self, queries: Sequence[str], options: SearchOptions) -> SearchResult:
        """Search with prepared options. Errors are those of :meth:`search`."""
        self.prepare(options)
        with self.store.reading():
            found = search(self.searcher(options), self.store, queries)
            return (
                found
                if options.where is None
                else replace(found, filter_notes=self.filter_notes(options.where))
            )

    def filter_notes(self, where: str) -> tuple[FilterNote, ...]:
        """Suspicious parts of a filter: names that no entry has, and texts compared with numbers.

        Raises:
            UsageError: the filter can't be parsed.
            DataError: the collection is damaged.
        """
        return self.store.filter_notes(where)

    @checked
    def explain(
        self,
        query: str,
        texts: Sequence[str | EntryHit],
        *,
        mode: Mode = "hybrid",
        rerank: AnyModel | None = None,
        bm25: str | None = None,
    ) -> tuple[ExplainedHit, ...]:
        """Explain why a query finds certain hits or texts.

        The contributions of the query's words add up to the BM25 score. The contributions of tokens add up to
        the cosine, if it is a sum over tokens.

        Args:
            query: the query.
            texts: the texts found; for a hit in windows, the cosine is that of the matching window.
            mode: the search mode: words, vectors, or both.
            rerank: the scorer that reordered them, if any.
            bm25: the parameters of BM25 in that search, if any.

        Raises:
            UsageError: ``texts`` is one text, there is no such mode, or a parameter is wrong.
            ModelError: the model doesn't exist, or has changed.
            DataError: the collection is damaged.
        """
        SearchOptions(mode=mode, bm25=bm25).check()
        given = [texts] if isinstance(texts, str) else list(texts)
        whole = texts_of([one.text if isinstance(one, EntryHit) else one for one in given])
        windows = [one.matched if isinstance(one, EntryHit) else one for one in given]
        return explain_hits(
            self.store,
            self.model,
            query,
            whole,
            windows=windows,
            mode=mode,
            rerank=rerank,
            bm25=Bm25Parameters.parsed(bm25),
        )

    def calibrate(
        self,
        data: Any,
        *,
        queries: Any = None,
        split: str | None = None,
        goal: Goal | str = "f1",
        k: int = 10,
        rerank: AnyModel | None = None,
        rerank_depth: int = LEAST_DEPTH,
    ) -> CalibratedCollection:
        """Fit word and vector weights and hit probabilities on judged queries, and store them.

        Afterwards the mode hybrid uses these weights, and hits have probabilities.

        Args:
            data: judgements: a TREC file, ``Qrels``, or a BEIR folder. Documents are entries, by id.
            queries: the texts of the queries: a file or a mapping by id; None for a BEIR folder.
            split: the split of a BEIR folder.
            goal: the goal of the probability threshold, such as "f1" or "precision=0.9".
            k: the number of hits per query that the probability holds for.
            rerank: a scorer of pairs; the fit then applies to searches with it.
            rerank_depth: the number of hits that it reorders.

        Raises:
            UsageError: arguments don't go together.
            DataError: a file can't be read, or too few queries are judged.
            PromiseError: no threshold reaches the goal.
            OutputError: another process is writing, or the disk is full.

        Example:
            >>> import textkin as tk
            >>> with tk.open_collection("papers") as papers:  # doctest: +SKIP
            ...     papers.calibrate("scifact", split="train")
            ...     papers.search("vitamin D", min_probability=0.5)
        """
        from textkin.collection.calibration.calibrate import FitOptions, calibrate_collection
        from textkin.collection.calibration.judged_queries import judged_queries
        from textkin.measures.decisions.goal import Goal

        aim = Goal.parse(goal) if isinstance(goal, str) else goal
        options = FitOptions(goal=aim, k=k, rerank_depth=rerank_depth)
        judged = judged_queries(data, queries, split=split)
        reranker = None if rerank is None else Reranker(rerank)
        return calibrate_collection(self.store, self.model, judged, options=options, reranker=reranker)

    def prepare(self, options: SearchOptions) -> None:
        """Check options, and open everything such searches need, before ``store.reading()``."""
        options.check()
        if options.probe is not None:
            self.store.cells.prepare()

    def searcher(self, options: SearchOptions) -> CollectionSearch:
        """The ranker for these options, after :meth:`prepare`; use it in ``store.reading()``."""
        about = "" if options.probe is None else f"; vectors {self.store.cells.in_words(options.probe)}"
        made = CollectionSearch(
            self.store, self.model, options, reranker=self._reranker(options), about=about
        )
        self._warn("probabilities and weights of searches were", made.growth)
        return made

    def _warn(self, what: str, growth: str) -> None:
        """Warn once that the collection has outgrown its fit."""
        if growth and what not in self._warned:
            self._warned.add(what)
            note(f"warning: {what} fitted to {self.folder} as it was: {growth}; fit again: `calibrate()`")

    def _reranker(self, options: SearchOptions) -> Reranker | None:
        """The reranker of these options, opened on first use."""
        if options.rerank is None:
            return None
        if self.reranker is None or self.reranker.model != options.rerank:
            self.reranker = Reranker(options.rerank)
        return self.reranker

    @checked
    def match(
        self,
        texts: str | Iterable[str] | Iterable[Entry],
        *,
        add: bool = False,
        wait: float | None = None,
        **options: Unpack[MatchArguments],
    ) -> MatchResult:
        """Classify texts as duplicate, new, or a question for a person.

        Args:
            texts: one text, or several, or entries with ids.
            add: store each text after matching, linked if it is a duplicate (the field ``duplicate_of`` of
                its metadata). Later texts are matched against it, too.
            wait: seconds to wait for another process that writes; 30 if None.
            options: ``threshold``, ``precision``, ``ask``, ``base_rate``, ``decision`` and ``guards``, as in
                :func:`textkin.match`.

        Raises:
            UsageError: nothing was fitted, or the options don't go together.
            DataError: a text is blank, or an entry can't be stored as it is.
            ModelError: the model doesn't exist, or has changed.
            OutputError: another process is writing, or the disk is full.

        Example:
            >>> import textkin as tk
            >>> with tk.open_collection("inbox", create=True) as inbox:
            ...     came = ["Where can I park?", "When do you open?", "where can I park"]
            ...     found = inbox.match(came, add=True, threshold=0.8)
            ...     [match.verdict.value for match in found.matches], len(inbox)
            (['new', 'new', 'duplicate'], 3)
        """
        entries = list(as_entries([texts] if isinstance(texts, str) else texts))
        options["guards"] = guards_of(options.get("guards", "auto"))
        found = self.matched(entries, MatchOptions(**options), add=add, wait=wait)
        return replace(found, one_text=isinstance(texts, str))

    def matched(
        self, entries: Sequence[Entry], options: MatchOptions, *, add: bool = False, wait: float | None = None
    ) -> MatchResult:
        """Match entries with prepared options. Errors are those of :meth:`match`."""
        if add:
            self.seal()
        return match_texts(self.store, self.model, entries, self.rule(options), add=add, wait=wait)

    def rule(self, options: MatchOptions) -> ChosenRule:
        """The rule that :meth:`match` applies. Warns once if it was fitted to a different collection.

        Raises:
            UsageError: nothing was fitted, or the options don't go together.
        """
        chosen = self.rules.rule_for(options)
        if options.threshold is None:
            self._warn("verdicts and probabilities of matches were", self.rules.growth())
        return chosen

    def explain_match(self, match: Match) -> Explained | None:
        """Token contributions to the cosine of a text and its nearest entry; None without one.

        For texts in windows, it is the cosine of the two windows that decide the score.

        Args:
            match: a result of :meth:`match`.

        Raises:
            ModelError: the model doesn't exist, or has changed.
        """
        if match.nearest_id is None or match.nearest_text is None:
            return None
        one, other = match.text, match.nearest_text
        if self.model.window and match.score is not None:
            with self.store.reading():
                there = [row for row in self.store.rows([match.nearest_id]) if row.text == other]
                windows = self.store.windows([row.entry_id for row in there])
            counted = self.model.of_texts  # the text was counted when it was matched
            for found in windows.values():
                one, other = deciding(one, text_windows(self.model, [one])[0], other, found, match.score)
            self.model.of_texts = counted
        return explain(self.model.opened(), one, other)

    def approximate(self, cells: int, *, seed: int = 0) -> str:
        """Assign the vectors to cells, so that searches can skip most of them.

        The recall of the 10 nearest entries is measured on 200 stored texts. Later entries are searched
        exactly, until the cells are rebuilt.

        Args:
            cells: the number of cells, usually about the square root of the number of entries. 0 removes
                them.
            seed: the random seed.

        Returns:
            A description of the cells.

        Raises:
            UsageError: there are too few entries.
            OutputError: another process is writing, or the disk is full.

        Example:
            >>> import textkin as tk
            >>> with tk.open_collection("many", create=True) as notes:
            ...     added = notes.add([f"note {number}" for number in range(100)])
            ...     told = notes.approximate(10)
            ...     len(notes.search("note 7", probe=2, mode="vectors").hits[0])
            10
        """
        if not cells:
            self.store.cells.drop()
            return "no cells: searches are exact"
        self.store.cells.make(cells, seed=seed)
        return self.store.cells.in_words()

    def fit_matching(
        self,
        pairs: Any = None,
        *,
        groups: str | None = None,
        base_rate: float | None = None,
        precision: float = PRECISION,
        guards: Sequence[str] = STANDARD,
        seed: int = 0,
    ) -> MatchLabels:
        """Fit :meth:`match` to labelled pairs, which the collection stores.

        Args:
            pairs: labelled matches, each a text and its nearest entry, or the path of a file of them, as
                :func:`textkin.label` writes it.
            groups: a metadata field to use instead: entries with the same value are duplicates.
            base_rate: the expected fraction of incoming texts that have a duplicate; None to estimate it.
            precision: the precision that duplicates need unless another one is asked for.
            guards: the guards that keep texts apart.
            seed: the sampling seed.

        Raises:
            UsageError: both or neither of them are given, or there is no such guard.
            DataError: all labels are the same, the pairs aren't matches of this collection, or the base rate
                can't be estimated.
            OutputError: another process is writing.
        """
        data = None if pairs is None else loaded_pairs(pairs).data
        path = None if pairs is None else path_of(pairs)
        fit = Rehearsal(self.store, self.model, guards, base_rate, seed)
        return fit_matching(fit, pairs=data, path=path, groups=groups, precision=precision)

    @property
    def truncation(self) -> Truncation | None:
        """The number of texts encoded here that exceed the model's limit."""
        return self.model.of_texts.truncation

    @property
    def coverage(self) -> Coverage | None:
        """The model's vocabulary coverage of the texts encoded here; None if none were."""
        return self.model.of_texts.coverage

    def __len__(self) -> int:
        return len(self.store)

    def __repr__(self) -> str:
        return f"<OpenCollection {self.folder}>"

    def close(self) -> None:
        """Close the collection's files."""
        self.store.close()

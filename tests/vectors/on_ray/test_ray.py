"""On Ray: users get identical bytes, whichever process dies."""

import os
import signal

import numpy as np
import pytest

import textkin as tk
from tests.cli.conftest import Textkin, textkin  # noqa: F401  # a fixture
from tests.vectors.on_ray.deeds import Letters, dies, dies_once, divides, plus, refuses, whose
from tests.vectors.on_ray.fake_workers import vectors
from textkin.base.errors import DataError, UsageError, WorkersError
from textkin.collection.search.options import SearchOptions
from textkin.data import samples
from textkin.vectors.join.all_pairs import pairs_above as on_one_machine
from textkin.vectors.join.greedy_filter import survivors as survivors_here
from textkin.vectors.on_ray.blocks import Crew
from textkin.vectors.on_ray.distributed_engine import SeveralMachines
from textkin.vectors.on_ray.location import engine_of

ray_package = pytest.importorskip("ray")

pytestmark = [pytest.mark.apart, pytest.mark.filterwarnings("ignore")]  # Ray's own

STORE = 200_000_000


@pytest.fixture(scope="module")
def workers():
    """Two workers on this machine."""
    from textkin.vectors.on_ray.ray_workers import RayWorkers

    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    ray_package.init(
        address="local",
        num_cpus=2,
        include_dashboard=False,
        object_store_memory=STORE,
        logging_level="error",
        log_to_driver=False,
    )
    yield RayWorkers(ray_package)
    ray_package.shutdown()


class Killing:
    """Workers, all of which are killed after some results."""

    def __init__(self, workers, after):
        self._workers, self._after, self.killed = workers, after, set()

    def __getattr__(self, name):
        return getattr(self._workers, name)

    def result(self, handle):
        self._after -= 1
        if self._after == 0:
            pids = [self._workers.submit(whose) for _ in range(6)]
            self.killed = {self._workers.result(pid) for pid in pids}
            for pid in self.killed:
                os.kill(pid, signal.SIGKILL)
        return self._workers.result(handle)


def test_what_a_worker_did_when_it_died_is_done_again(workers, tmp_path):
    assert workers.slots == 2
    assert workers.result(workers.submit(dies_once, str(tmp_path / "died"), 7)) == 7
    assert (tmp_path / "died").exists()


def test_what_kills_every_worker_ends(workers, monkeypatch):
    monkeypatch.setattr("textkin.vectors.on_ray.ray_workers._RETRIES", 1)
    few = type(workers)(ray_package)
    with pytest.raises(WorkersError, match="begun 2 times, and no worker has ended it"):
        few.result(few.submit(dies))


def test_errors_come_back_as_they_are(workers):
    with pytest.raises(DataError, match="the fourth is broken; mend it"):
        workers.result(workers.submit(refuses, "the fourth"))
    with pytest.raises(WorkersError, match="a piece of work fails: division by zero"):
        workers.result(workers.submit(divides, 0))


def test_another_textkin_is_refused(workers, monkeypatch):
    monkeypatch.setattr("textkin.vectors.on_ray.ray_workers.__version__", "0.1")
    with pytest.raises(UsageError, match=r"0\.1 where the call is; install the same version"):
        workers.result(workers.submit(whose))


def test_pieces_come_in_order_and_each_worker_has_what_all_are_given(workers):
    assert list(SeveralMachines(Crew(workers)).each(plus, 10, range(30))) == list(range(10, 40))


@pytest.mark.parametrize("block", [300, 1_000])
def test_pairs_and_survivors_are_those_of_one_machine_though_all_workers_are_killed(workers, block):
    given, order = vectors(2_500, groups=400), np.random.default_rng(1).permutation(2_500)
    killing = Killing(workers, after=3)
    found = SeveralMachines(Crew(killing, block)).pairs_above(given, 0.8, quiet=True)
    expected = on_one_machine(given, 0.8)
    assert killing.killed and len(expected)
    for name in ("rows", "columns", "scores"):
        assert getattr(found, name).tobytes() == getattr(expected, name).tobytes()
    killing = Killing(workers, after=3)
    stay = SeveralMachines(Crew(killing, block)).survivors(given, 0.8, order)
    chosen = survivors_here(given, 0.8, order)
    assert killing.killed
    assert stay.home.tobytes() == chosen.home.tobytes() and stay.scores.tobytes() == chosen.scores.tobytes()


def test_vectors_are_those_of_one_process(workers):
    texts = [f"Where is parcel {number}? It was sent on Monday." for number in range(5_000)]
    here = tk.encode(texts)
    np.testing.assert_allclose(tk.encode(texts, on="ray"), here, atol=1e-6)
    np.testing.assert_array_equal(tk.encode("one text", on="ray"), tk.encode("one text"))
    with pytest.raises(UsageError) as error:
        tk.encode(texts, on="ray", prompt="query: ")
    assert error.value.params == ("prompt",)
    with engine_of(on="ray") as engine:
        killing = Killing(workers, after=2)
        again = SeveralMachines(Crew(killing)).encoder(Letters()).encode(texts)
        np.testing.assert_array_equal(again, Letters().encode(texts))
        assert killing.killed and engine is not None


def test_a_model_in_memory_only_cannot_be_sent(workers):
    from tests.verbs.mine.test_long_texts import siamese

    with pytest.raises(UsageError, match="in memory only"):
        tk.mine(["one", "two"], model=siamese(), on="ray")


def test_mined_pairs_are_those_of_one_process(workers):
    texts = samples.path("inbox.txt").read_text(encoding="utf-8").split("\n")[:-1]
    for options in (
        {"threshold": 0.5},
        {"top": 40},
        {"per_text": 2},
    ):
        here, there = (tk.mine(texts, **options, **on) for on in ({}, {"on": "ray"}))
        assert len(here) > 10 and there.rows() == here.rows()
    assert there.rethreshold(0.9).rows() == here.rethreshold(0.9).rows()  # here, since Ray may be gone
    against = tk.mine(texts[:50], against=texts[40:], threshold=0.5, on="ray")
    alone = tk.mine(texts[:50], against=texts[40:], threshold=0.5)
    assert against.rows() == alone.rows()
    with pytest.raises(UsageError) as error:
        tk.mine(texts, threshold=0.5, recall=0.9, on="ray")
    assert error.value.params == ("recall", "on")


@pytest.mark.parametrize(
    ("command", "files"),
    [
        ("encode INBOX --out OUT/v.npy", ["v.npy", "v.ids.txt"]),
        ("mine INBOX --threshold 0.5 --out OUT/pairs.tsv", ["pairs.tsv"]),
        ("dedupe INBOX --threshold 0.6 --out OUT", ["kept.txt", "removed.tsv", "groups.tsv", "report.html"]),
        (
            "dedupe INBOX --threshold 0.9 --lexical 0.7 --out OUT",
            ["kept.txt", "removed.tsv", "groups.tsv", "dedupe.json"],
        ),
        ("data negatives PAIRS --ranks 1-9 --model bm25 --model default --out OUT/n.tsv", ["n.tsv"]),
        ("search OUT/kin INBOX --out OUT/run.trec", ["run.trec"]),
    ],
)
def test_commands_leave_the_files_of_one_process(workers, textkin, tmp_path, command, files):  # noqa: F811
    pairs = tmp_path / "pairs.tsv"
    questions = [
        f"how do I {verb} my {what}?" for verb in ("send", "find", "pay") for what in ("card", "bill")
    ]
    rows = [f"{one}\t{one[:-1]} now\t1" for one in questions]
    pairs.write_text("\n".join(["a\tb\tlabel", *rows]) + "\n", encoding="utf-8")
    for folder, on in (("here", []), ("there", ["--on", "ray"])):
        out = tmp_path / folder
        out.mkdir()
        if command.startswith("search"):
            assert textkin("collection", "add", str(out / "kin"), str(samples.path("inbox.txt"))).code == 0
        line = command.replace("INBOX", str(samples.path("inbox.txt"))).replace("PAIRS", str(pairs))
        done = textkin(*line.replace("OUT", str(out)).split(), *on)
        assert done.code == 0, done.err
    for name in files:
        assert (tmp_path / "here" / name).read_bytes() == (tmp_path / "there" / name).read_bytes()


def test_a_collection_that_changes_meanwhile_is_refused(workers, tmp_path):
    from textkin.collection.search.search_file import SearcherThere, rankings_of

    with tk.open_collection(tmp_path / "kin", create=True) as kin:
        kin.add(["Where can I park?"])
        with kin.store.reading():
            there = SearcherThere(kin, SearchOptions())
        kin.add(["When do you open?"])
        with pytest.raises(DataError, match="was changed during the search"):
            list(SeveralMachines(Crew(workers)).each(rankings_of, there, [["parking"]]))


def test_nothing_at_the_address(textkin, tmp_path):  # noqa: F811
    ray_package.shutdown()
    done = textkin(
        *f"mine {samples.path('inbox.txt')} --top 3 --out {tmp_path}/p.tsv --on ray".split(),
        *("--address", "127.0.0.1:9"),
    )
    assert done.code == 2 and "error: no Ray at 127.0.0.1:9: " in done.err

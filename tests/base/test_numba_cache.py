import importlib.util
import io
import pickle
import sys
from concurrent.futures import ThreadPoolExecutor

import numba
import pytest

from textkin.base import numba_cache as module
from textkin.base.numba_cache import compiled, only_kept


@pytest.fixture
def twice(tmp_path, monkeypatch):
    """A function in a module of its own."""
    path = tmp_path / "loops_of_a_test.py"
    path.write_text("def twice(number):\n    return 2 * number\n")
    spec = importlib.util.spec_from_file_location(path.stem, path)
    loops = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, path.stem, loops)
    spec.loader.exec_module(loops)
    return loops.twice


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture
def nothing_said():
    """A process that has not compiled yet."""
    module._tell.cache_clear()
    yield
    module._tell.cache_clear()


def hits(made):
    return sum(made.stats.cache_hits.values())


def index(tmp_path):
    (found,) = (tmp_path / "__pycache__").glob("*.nbi")
    return found


def test_machine_code_is_kept(twice):
    made, again = compiled(twice), compiled(twice)
    assert made(3) == 6 and hits(made) == 0
    assert again(4) == 8 and hits(again) == 1


@pytest.mark.parametrize(
    "content",
    [
        pickle.dumps(numba.__version__) + b"ctextkin.compiled\nAClassOfBefore\n.",
        pickle.dumps(numba.__version__) + b"half a pickle",
        b"",
    ],
    ids=["a class that has another name now", "broken", "empty"],
)
def test_what_was_kept_and_can_not_be_read_is_made_again(twice, tmp_path, content):
    compiled(twice)(3)
    index(tmp_path).write_bytes(content)
    made, again = compiled(twice), compiled(twice)
    assert made(3) == 6 and hits(made) == 0
    assert again(3) == 6 and hits(again) == 1


def test_another_version_of_textkin_makes_it_again(twice, monkeypatch):
    compiled(twice)(3)
    monkeypatch.setattr(module.metadata, "version", lambda name: "0.0")
    made, again = compiled(twice), compiled(twice)
    assert made(3) == 6 and hits(made) == 0
    assert again(3) == 6 and hits(again) == 1


def test_only_what_is_kept_is_loaded(twice):
    made, found = compiled(twice), []
    with only_kept():
        found.append(made(3))
    assert found == []
    assert made(3) == 6
    again = compiled(twice)
    with only_kept():
        found.append(again(4))
    assert found == [8] and hits(again) == 1


@pytest.mark.slow
def test_where_nothing_can_be_kept_it_is_made_all_the_same(twice, monkeypatch):
    def full(*arguments):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("numba.core.caching.IndexDataCacheFile.save", full)
    assert compiled(twice)(3) == 6
    monkeypatch.setattr("numba.core.caching.CompileResultCacheImpl._locator_classes", [])
    assert compiled(twice)(3) == 6
    assert compiled(twice, sums_in_any_order=True)(0.5) == 1.0


def test_a_terminal_is_told_once_why_it_waits(twice, nothing_said, monkeypatch):
    monkeypatch.setattr(sys, "stderr", Terminal())
    made = compiled(twice)
    assert sys.stderr.getvalue() == ""
    assert made(3) == 6 and made(0.5) == 1.0
    told = "textkin: compiling loops for this machine, some seconds; kept for the next time\n"
    assert sys.stderr.getvalue() == told
    module._tell.cache_clear()
    assert compiled(twice)(3) == 6
    assert sys.stderr.getvalue() == told


def test_a_terminal_is_told_that_nothing_is_kept(twice, nothing_said, monkeypatch):
    monkeypatch.setattr(sys, "stderr", Terminal())
    monkeypatch.setattr("numba.core.caching.CompileResultCacheImpl._locator_classes", [])
    assert compiled(twice)(3) == 6
    assert "at every start: let NUMBA_CACHE_DIR be" in sys.stderr.getvalue()


def test_a_file_is_told_nothing(twice, nothing_said, monkeypatch):
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    assert compiled(twice)(3) == 6
    assert sys.stderr.getvalue() == ""


def test_arrays_do_what_takes_less_time_than_loading_the_loops():
    assert module.arrays_do("loops.that.are.not.loaded", 1000)
    assert not module.arrays_do("loops.that.are.not.loaded", 1 << 40)
    assert not module.arrays_do("sys", 1000)


def test_many_small_searches_repay_the_loading():
    calls = sum(module.arrays_do("loops.of.many.searches", 1 << 25) for _ in range(100))
    assert calls == (1 << 29) // (1 << 25)
    assert module.arrays_do("loops.of.other.searches", 1 << 25)


def test_while_a_thread_compiles_arrays_do_the_work_of_others():
    with ThreadPoolExecutor(1) as others, module.compiling():
        assert not module.arrays_do("sys", 1000)
        assert others.submit(module.arrays_do, "sys", 1000).result()
        assert not others.submit(module.arrays_do, "sys", 1 << 40).result()
    assert not module.arrays_do("sys", 1000)

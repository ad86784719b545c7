import threading
import weakref

import numpy  # noqa: F401  # brings what multiplies
import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from textkin.base.threads import _blas_held, one_thread_each, settle, side_by_side


def blas_threads() -> set[int]:
    return {each["num_threads"] for each in threadpool_info() if each["user_api"] == "blas"}


def test_products_take_one_thread_in_the_block_and_then_as_many_as_before() -> None:
    _blas_held.cache_clear()  # other libraries may have been loaded since
    with threadpool_limits(2, user_api="blas"):
        before = blas_threads()
        with pytest.raises(ZeroDivisionError), one_thread_each():
            assert list(side_by_side(lambda _: blas_threads(), range(3), workers=2)) == [{1}] * 3
            raise ZeroDivisionError
        assert blas_threads() == before == {2}


@pytest.mark.torch
def test_torch_is_held_to_one_thread_and_left_as_it_was() -> None:
    torch = pytest.importorskip("torch")
    threads = torch.get_num_threads()
    torch.set_num_threads(2)
    try:
        with pytest.raises(ZeroDivisionError), one_thread_each():
            assert list(side_by_side(lambda _: torch.get_num_threads(), range(3), workers=2)) == [1, 1, 1]
            raise ZeroDivisionError
        assert torch.get_num_threads() == 2
    finally:
        torch.set_num_threads(threads)


def overlap(*, settled: bool) -> list[int]:
    """Torch's threads in a thread whose block begins in another's and ends after it; before and after."""
    torch = pytest.importorskip("torch")
    begun, inside, ended, seen = threading.Event(), threading.Event(), threading.Event(), list[int]()
    born = threading.Event()

    def second() -> None:
        if settled:
            settle()
        born.set()
        assert begun.wait(10)
        seen.append(torch.get_num_threads())
        with one_thread_each():
            inside.set()
            assert ended.wait(10)
        seen.append(torch.get_num_threads())

    other = threading.Thread(target=second)
    other.start()
    assert born.wait(10)
    with one_thread_each():
        begun.set()
        assert inside.wait(10)
    ended.set()
    other.join()
    return seen


@pytest.mark.torch
def test_blocks_that_overlap_leave_all_as_it_was() -> None:
    torch = pytest.importorskip("torch")
    _blas_held.cache_clear()
    threads = torch.get_num_threads()
    torch.set_num_threads(2)
    try:
        with threadpool_limits(2, user_api="blas"):
            assert overlap(settled=True) == [2, 2]
            assert blas_threads() == {2}
            assert overlap(settled=False)[0] == 1, "torch has learnt to ask again: settle can go"
    finally:
        torch.set_num_threads(threads)


@pytest.mark.parametrize("workers", [1, 2])
def test_results_are_not_kept_once_they_are_taken(workers: int) -> None:
    class Result:
        pass

    taken: list[weakref.ref[Result]] = []
    for one in side_by_side(lambda _: Result(), range(20), workers=workers):
        assert [each() for each in taken] == [None] * len(taken)
        taken.append(weakref.ref(one))
    assert len(taken) == 20

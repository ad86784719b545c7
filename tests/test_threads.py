import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from textkin.threads import _blas, one_thread_each, side_by_side


def blas_threads() -> set[int]:
    return {each["num_threads"] for each in threadpool_info() if each["user_api"] == "blas"}


def test_products_take_one_thread_in_the_block_and_then_as_many_as_before() -> None:
    _blas.cache_clear()  # other libraries may have been loaded since
    with threadpool_limits(2, user_api="blas"):
        before = blas_threads()
        with pytest.raises(ZeroDivisionError), one_thread_each():
            assert list(side_by_side(lambda _: blas_threads(), range(3), workers=2)) == [{1}] * 3
            raise ZeroDivisionError
        assert blas_threads() == before == {2}


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

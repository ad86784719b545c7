import pytest
import torch

from textkin.threads import plain_products, side_by_side


def test_torch_is_left_as_it_was() -> None:
    threads, precision = torch.get_num_threads(), torch.get_float32_matmul_precision()
    torch.set_float32_matmul_precision("medium")
    try:
        with pytest.raises(ZeroDivisionError), plain_products():
            assert (torch.get_num_threads(), torch.get_float32_matmul_precision()) == (1, "highest")
            assert list(side_by_side(lambda _: torch.get_num_threads(), range(3), workers=2)) == [1, 1, 1]
            raise ZeroDivisionError
        assert (torch.get_num_threads(), torch.get_float32_matmul_precision()) == (threads, "medium")
    finally:
        torch.set_float32_matmul_precision(precision)

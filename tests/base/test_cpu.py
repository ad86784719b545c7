import re
import sys
from pathlib import Path

import pytest
import torch

from textkin.base import cpu as processor
from textkin.base.cpu import described, features, processor_name, product_speeds

pytestmark = pytest.mark.torch


def test_speeds_are_those_of_one_core_and_threads_stay_as_they_were() -> None:
    threads = torch.get_num_threads()
    speeds = product_speeds(shape=(64, 64, 64), turns=2)
    assert torch.get_num_threads() == threads
    assert 0 < speeds.fp32 < 1e5 and 0 < speeds.bf16 < 1e5
    assert speeds.gain == speeds.bf16 / speeds.fp32


def test_a_speed_is_operations_by_the_fastest_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter([0.0, 0.5, 1.0, 1.25, 2.0, 3.0, 4.0, 4.125, 5.0, 5.5, 6.0, 7.0])
    monkeypatch.setattr(processor.time, "thread_time", lambda: next(clock))
    # 2 x 1000 x 500 x 100 operations in a quarter and in an eighth of a second
    found = product_speeds(shape=(1000, 500, 100))
    assert (found.fp32, found.bf16, found.gain) == pytest.approx((0.4, 0.8, 2.0))


def test_features_are_names_of_instruction_sets(monkeypatch: pytest.MonkeyPatch) -> None:
    found = {"cpu_name": "Some 3 GHz", "avx2": True, "avx512_f": False, "l2_cache_size": 1, "amx_bf16": True}
    monkeypatch.setattr(torch.cpu, "get_capabilities", lambda: found, raising=False)
    assert features() == ("amx_bf16", "avx2")
    assert processor_name() == "Some 3 GHz"
    monkeypatch.setattr(processor, "cores", lambda: 7)
    for name in processor.LIMITS:
        monkeypatch.delenv(name, raising=False)
    assert re.fullmatch(
        r"7 cores, Some 3 GHz; AVX2, AMX bfloat16; a core's products: [\d,]+ GFLOP/s in fp32, [\d,]+ in bf16",
        described(),
    )


def test_limits_and_what_is_missing_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cpu, "get_capabilities", lambda: {"avx2": True}, raising=False)
    monkeypatch.setenv("ONEDNN_MAX_CPU_ISA", "AVX2")
    assert "an unknown processor; AVX2, no bfloat16; held to ONEDNN_MAX_CPU_ISA=AVX2" in described()


INTEL = "processor\t: 0\nmodel name\t: Some: 3 GHz\nflags\t\t: fpu avx2 avx512f amx_bf16\n\nprocessor\t: 1\n"
ARM = "processor\t: 0\nFeatures\t: fp asimd bf16\nCPU part\t: 0xd40\n"


@pytest.mark.parametrize(
    ("text", "name", "sets"),
    [
        (INTEL, "Some: 3 GHz", ("amx_bf16", "avx2", "avx512_f", "fpu")),
        (ARM, "an unknown processor", ("bf16", "fp", "neon")),
        ("", "an unknown processor", ()),
        (None, "an unknown processor", ()),
    ],
)
def test_where_torch_can_not_tell_linux_does(
    text: str | None, name: str, sets: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if text is not None:
        (tmp_path / "cpuinfo").write_text(text)
    monkeypatch.delattr(torch.cpu, "get_capabilities", raising=False)
    monkeypatch.setattr(processor, "_PROCESSORS", tmp_path / "cpuinfo")
    assert (processor_name(), features()) == (name, sets)


def test_without_torch_linux_tells(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "cpuinfo").write_text(INTEL)
    monkeypatch.setattr(processor, "_PROCESSORS", tmp_path / "cpuinfo")
    monkeypatch.setitem(sys.modules, "torch", None)
    assert (processor_name(), features()) == ("Some: 3 GHz", ("amx_bf16", "avx2", "avx512_f", "fpu"))


@pytest.mark.parametrize(
    ("text", "may"),
    [
        ("flags : fpu avx2 avx512f avx512_bf16\n\n", True),
        ("Features : asimd bf16\n\n", True),
        ("flags : fpu avx2 avx512f avx512_vnni\n\n", False),
        ("", True),
        (None, True),
    ],
)
def test_bfloat16_is_ruled_out_only_where_linux_tells(
    text: str | None, may: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if text is not None:
        (tmp_path / "cpuinfo").write_text(text)
    monkeypatch.setattr(processor, "_PROCESSORS", tmp_path / "cpuinfo")
    assert processor.may_have_bf16() == may

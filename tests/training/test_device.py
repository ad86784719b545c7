import subprocess
import sys
from types import SimpleNamespace

import pytest
import torch

from tests.half_precision import lstm_in_bf16
from textkin.base.errors import UsageError
from textkin.training.device import Device

pytestmark = pytest.mark.torch


def test_accelerate_is_imported_by_the_first_device_only():
    script = "import sys, textkin.training.device, textkin.training.loop; print('accelerate' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"


@pytest.mark.parametrize(
    ("name", "precision", "words"),
    [
        ("gpu", "fp32", ("device",)),
        ("cpu", "fp16", ("precision",)),
        ("cpu", "fp64", ("precision",)),
    ],
)
def test_wrong_devices_are_refused(name, precision, words):
    with pytest.raises(UsageError) as error:
        Device(name, precision=precision)
    assert error.value.params == words


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a GPU")
def test_a_missing_gpu_is_named():
    with pytest.raises(UsageError) as error:
        Device("cuda")
    assert error.value.params == ("device",)


def test_one_process_after_another_with_other_precisions():
    # accelerate remembers the first device of a process: the second one must be as requested.
    for precision, dtype in (("bf16", torch.bfloat16), ("fp32", torch.float32), ("bf16", torch.bfloat16)):
        device = Device("cpu", precision=precision)
        inner = []
        layer = torch.nn.Sequential(torch.nn.Linear(2, 2))
        layer[0].register_forward_hook(lambda module, given, output, inner=inner: inner.append(output.dtype))
        tower, _ = device.prepare(layer, torch.optim.SGD(layer.parameters()))
        assert tower(torch.ones(1, 2)).dtype == torch.float32
        assert inner == [dtype]
        device.release(tower)
        layer(torch.ones(1, 2))
        assert inner[1:] == [torch.float32]
    assert (device.processes, device.is_main, device.device.type) == (1, True, "cpu")
    assert device.first([1.0, 2.0]) == [1.0, 2.0]


@pytest.mark.parametrize("precision", ["bf16", "fp32"])
@pytest.mark.parametrize("layer", [torch.nn.LSTM, torch.nn.GRU, torch.nn.Linear])
def test_layers_are_required_as_they_can_be_computed(layer, precision):
    device, module = Device("cpu", precision=precision), torch.nn.Sequential(layer(2, 2))
    if layer is torch.nn.LSTM and precision == "bf16" and not lstm_in_bf16():
        with pytest.raises(UsageError) as error:
            device.require(module)
        assert error.value.value == "bf16"
    else:
        device.require(module)


@pytest.mark.parametrize("processes", [1, 2])
def test_one_process_where_several_were_wanted_is_said(processes, monkeypatch):
    device = Device("cpu")
    monkeypatch.setattr(device, "_accelerator", SimpleNamespace(num_processes=processes))
    assert device.lone_by_mistake() is None
    # The environment of accelerate launch --cpu --num_processes 2, which starts one process.
    monkeypatch.setenv("ACCELERATE_USE_CPU", "True")
    assert device.lone_by_mistake() is None  # one was wanted
    monkeypatch.setenv("MASTER_PORT", "29500")
    words = device.lone_by_mistake()
    assert words is None if processes == 2 else "start several with torchrun" in words


def test_the_optimiser_keeps_what_it_learnt_before_it_was_prepared():
    layer = torch.nn.Linear(2, 2)
    optimiser = torch.optim.Adam(layer.parameters())
    layer(torch.ones(1, 2)).sum().backward()
    optimiser.step()
    before = {key: values["exp_avg"].clone() for key, values in optimiser.state_dict()["state"].items()}
    _, prepared = Device("cpu").prepare(layer, optimiser)
    after = prepared.state_dict()["state"]
    assert all(torch.equal(after[key]["exp_avg"], value) for key, value in before.items())
    assert all(values["step"] == 1 for values in after.values())

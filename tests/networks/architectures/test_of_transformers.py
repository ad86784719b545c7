"""Threads that import transformers at once."""

import subprocess
import sys

import pytest

pytestmark = [pytest.mark.torch, pytest.mark.slow]

_PROGRAM = """
from threading import Thread
from time import sleep
import torch
from textkin.networks.architectures.backbone import new_backbone

sizes = {"hidden_size": 8, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 8}
made = []

def make():
    made.append(type(new_backbone({"model_type": "bert", "vocab_size": 9, **sizes})).__name__)

threads = [Thread(target=make) for _ in range(20)]
for one in threads:
    one.start()
    sleep(0.05)
for one in threads:
    one.join()
print(*made)
"""


def test_threads_wait_for_each_other() -> None:
    done = subprocess.run([sys.executable, "-c", _PROGRAM], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["BertModel"] * 20, done.stderr

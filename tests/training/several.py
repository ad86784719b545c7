"""Processes as started by torchrun."""

import multiprocessing
import os
import socket

import pytest
import torch

FORKED = multiprocessing.get_context("fork")
_PATIENCE = 60


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as server:
        return server.getsockname()[1]


def environment(rank, *, count, port):
    """torchrun's environment for each of the processes."""
    ranks = {"RANK": str(rank), "LOCAL_RANK": str(rank)}
    sizes = {"WORLD_SIZE": str(count), "LOCAL_WORLD_SIZE": str(count)}
    return {**ranks, **sizes, "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port)}


def skip_after_cuda():
    """Skip a test that forks and trains if this process has used a GPU before."""
    if torch.cuda.is_initialized():
        pytest.skip("this process has used a GPU, so its children can't train")


def started(count, task, *arguments):
    """Processes that each run ``task(rank, *arguments)``."""
    skip_after_cuda()
    port = free_port()

    def run(rank):
        os.environ |= environment(rank, count=count, port=port)
        torch.set_num_threads(1)
        task(rank, *arguments)

    children = [FORKED.Process(target=run, args=(rank,)) for rank in range(count)]
    for child in children:
        child.start()
    return children


def ended(children):
    """Their exit codes; hanging processes are killed."""
    for child in children:
        child.join(_PATIENCE)
        if child.is_alive():
            child.kill()
            child.join()
    return [child.exitcode for child in children]


def outcomes(count, task, folder, *arguments):
    """The results of ``task(rank, *arguments)`` in several processes."""

    def run(rank):
        torch.save(task(rank, *arguments), folder / f"{rank}.pt")
        if torch.distributed.is_initialized():
            torch.distributed.barrier()
            torch.distributed.destroy_process_group()

    assert ended(started(count, run)) == [0] * count
    return [torch.load(folder / f"{rank}.pt", weights_only=False) for rank in range(count)]

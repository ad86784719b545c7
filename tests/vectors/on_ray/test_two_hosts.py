"""Two connected hosts, with a raylet each: the result of one process, whichever process dies."""

import numpy as np
import pytest

from tests.hosts import NoHosts, two_hosts
from tests.vectors.on_ray.fake_workers import vectors
from tests.vectors.on_ray.hosts import NETWORK, Trial
from textkin.vectors.join.all_pairs import pairs_above
from textkin.vectors.join.greedy_filter import survivors

pytest.importorskip("ray")
pytestmark = pytest.mark.apart

ROWS, THRESHOLD = 12_000, 0.8


@pytest.fixture
def hosts():
    try:
        with two_hosts(NETWORK) as found:
            yield found
    except NoHosts as reason:
        pytest.skip(str(reason))


def test_two_hosts_find_what_one_process_finds_though_a_worker_and_a_raylet_die(hosts, tmp_path):
    given, order = vectors(ROWS, groups=900), np.random.default_rng(2).permutation(ROWS)
    np.save(tmp_path / "vectors.npy", given)
    np.save(tmp_path / "order.npy", order)
    trial = Trial(tmp_path, THRESHOLD, block=600, after=5)
    trial.start(hosts)
    found = trial.outcome(hosts, "survivors", "ray::_run")
    stay = survivors(given, THRESHOLD, order)
    assert found["slots"] == 2
    assert found["a"].tobytes() == stay.home.tobytes() and found["b"].tobytes() == stay.scores.tobytes()
    found = trial.outcome(hosts, "pairs", "raylet/raylet")
    expected = pairs_above(given, THRESHOLD, quiet=True)
    assert found["slots"] == 2 and len(expected)
    for name, of in (("a", "rows"), ("b", "columns"), ("c", "scores")):
        assert found[name].tobytes() == getattr(expected, of).tobytes()

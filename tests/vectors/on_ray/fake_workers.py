"""Workers that aren't processes: inputs and outputs are pickled, and results come in any order."""

import pickle
import random

import numpy as np

from textkin.vectors.on_ray.blocks import Crew


class FakeWorkers:
    """Work is done when its result is requested, by an arbitrary worker.

    Attributes:
        sizes: the size in bytes of the largest input or output of each piece of work.
    """

    def __init__(self, *, slots=3, seed=0):
        self.slots, self._random = slots, random.Random(seed)
        self._values, self._work = {}, {}
        self.sizes, self.begun = [], 0

    def share(self, value):
        handle = ("shared", len(self._values))
        self._values[handle] = pickle.dumps(value, protocol=5)
        return handle

    def keep(self, value):
        return FakeKept(pickle.dumps(value, protocol=5))

    def submit(self, work, *given):
        handle = ("piece", self.begun)
        self.begun += 1
        self._work[handle] = pickle.dumps((work, given), protocol=5)
        return handle

    def first_done(self, handles):
        return self._random.choice(list(handles))

    def result(self, handle):
        sent = self._work.pop(handle)
        work, given = pickle.loads(sent)
        # Shared objects are read-only, as in Ray's object store.
        values = [pickle.loads(self._values[one]) if self._is_shared(one) else one for one in given]
        result = pickle.dumps(work(*values), protocol=5)
        shared = [len(self._values[one]) for one in given if self._is_shared(one)]
        self.sizes.append(max([len(sent), len(result), *shared]))
        return pickle.loads(result)

    def _is_shared(self, given):
        return isinstance(given, tuple) and isinstance(given[0], str) and given[0] == "shared"


class FakeKept:
    def __init__(self, pickled):
        self._pickled = pickled

    def value(self):
        return pickle.loads(self._pickled)


def crew(block, **options):
    return Crew(FakeWorkers(**options), block)


def vectors(count, *, seed=0, dim=16, groups=20):
    """Groups of similar vectors, and some without a direction."""
    draw = np.random.default_rng(seed)
    centres = draw.standard_normal((groups, dim)).astype(np.float32)
    found = centres[draw.integers(groups, size=count)] + 0.4 * draw.standard_normal((count, dim))
    found[:: max(count // 4, 1)] = 0
    return found.astype(np.float32)

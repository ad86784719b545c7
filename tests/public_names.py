"""Every public name with its object: verbs and records of ``textkin``, results of ``textkin.verbs``."""

import textkin
from textkin import verbs


def _places():
    for package in (textkin, verbs):
        for name in package.__all__:
            if name == "phrases":  # a module of verbs; the others are not loaded, which takes torch
                yield from ((f"{name}.{inner}", package.phrases) for inner in package.phrases.__all__)
            else:
                yield name, package


PLACES = dict(_places())
NAMES = tuple(PLACES)


def public(name):
    return getattr(PLACES[name], name.rpartition(".")[2])

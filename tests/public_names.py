"""Every public name with its object: verbs and records of ``textkin``, results of ``textkin.verbs``."""

from inspect import ismodule

import textkin
from textkin import verbs


def _places():
    for package in (textkin, verbs):
        for name in package.__all__:
            if ismodule(module := getattr(package, name)):
                yield from ((f"{name}.{inner}", module) for inner in module.__all__)
            else:
                yield name, package


PLACES = dict(_places())
NAMES = tuple(PLACES)


def public(name):
    return getattr(PLACES[name], name.rpartition(".")[2])

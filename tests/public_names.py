"""Every public name with its object: verbs and records of ``textkin``, results of ``textkin.verbs``."""

import textkin
from textkin import verbs

PLACES = {name: package for package in (textkin, verbs) for name in package.__all__}
NAMES = tuple(PLACES)


def public(name):
    return getattr(PLACES[name], name)

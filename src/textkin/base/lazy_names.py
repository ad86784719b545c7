"""Names of a package that load on first use, as its stub ``__init__.pyi`` imports them."""

from difflib import get_close_matches
from importlib import import_module
from pathlib import Path


class LazyNames(dict[str, str]):
    """The module of each name of a package.

    Args:
        package: the package's ``__init__.py``.
    """

    def __init__(self, package: str) -> None:
        super().__init__()
        for line in Path(package).with_suffix(".pyi").read_text(encoding="utf-8").splitlines():
            if line.startswith("from "):
                _, module, _, name, *_ = line.split()
                self[name] = module

    def load(self, name: str) -> object:
        """The object of a name.

        Raises:
            KeyError: there is no such name.
        """
        module = import_module(self[name])
        return getattr(module, name) if hasattr(module, name) else import_module(f"{self[name]}.{name}")

    def missing(self, package: str, name: str, *, near: str = "", short: str = "") -> AttributeError:
        """The error for a name that isn't there, with the nearest one.

        Args:
            package: the package.
            name: the missing name.
            near: what neighbouring libraries mean by the name.
            short: the package's alias.
        """
        found = [near] if near else get_close_matches(name, self, n=1)
        hint = f"; did you mean {short or package}.{found[0]}?" if found else ""
        return AttributeError(f"module {package!r} has no attribute {name!r}{hint}")

"""The import graph of textkin's files, with imports inside functions, without those for type checkers."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

import textkin

ROOT = Path(textkin.__file__).parent

Graph = Mapping[str, frozenset[str]]


@cache
def import_graph() -> Graph:
    """The files that each file imports, by dotted names."""
    files = {_dotted(path): path for path in sorted(ROOT.rglob("*.py"))}
    return {name: frozenset(_imports(name, path, files)) - {name} for name, path in files.items()}


def circles(graph: Graph) -> list[list[str]]:
    """The sets of files that import each other, directly or indirectly (Tarjan's components)."""
    order: dict[str, int] = {}
    lowest: dict[str, int] = {}
    stack: list[str] = []
    found: list[list[str]] = []

    def visit(name: str) -> None:
        order[name] = lowest[name] = len(order)
        stack.append(name)
        for other in sorted(graph[name]):
            if other not in order:
                visit(other)
                lowest[name] = min(lowest[name], lowest[other])
            elif other in stack:
                lowest[name] = min(lowest[name], order[other])
        if lowest[name] == order[name]:
            place = stack.index(name)
            found.append(sorted(stack[place:]))
            del stack[place:]

    for name in graph:
        if name not in order:
            visit(name)
    return sorted(component for component in found if len(component) > 1)


def _dotted(path: Path) -> str:
    parts = path.relative_to(ROOT.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def _imports(name: str, path: Path, files: Mapping[str, Path]) -> Iterator[str]:
    """The files that one imports: for ``from a import b`` the module b if there is one, otherwise a."""
    for node in _run(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in files)
        elif isinstance(node, ast.ImportFrom) and node.module in files:
            for alias in node.names:
                inner = f"{node.module}.{alias.name}"
                yield inner if inner in files else node.module


def _run(node: ast.AST) -> Iterator[ast.AST]:
    """All nodes but those below ``if TYPE_CHECKING``, which never run."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.If) and ast.unparse(child.test) == "TYPE_CHECKING":
            for other in child.orelse:
                yield other
                yield from _run(other)
            continue
        yield child
        yield from _run(child)

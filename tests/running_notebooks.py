"""Notebooks run without Jupyter: the code cells in order, with shared names.

``python -m tests.running_notebooks examples/notebooks/*.ipynb`` runs them and stores their outputs.
"""

import ast
import contextlib
import io
import json
import re
import sys
import tempfile
from pathlib import Path
from typing import Any


def run_notebook(path: Path) -> dict[str, Any]:
    """The notebook after a run in the working folder, with its cells' outputs."""
    notebook = json.loads(path.read_text(encoding="utf-8"))
    names: dict[str, Any] = {"__name__": "__main__"}
    code = (cell for cell in notebook["cells"] if cell["cell_type"] == "code")
    for count, cell in enumerate(code, 1):
        cell["execution_count"] = count
        cell["outputs"] = run_cell("".join(cell["source"]), names, count)
    return notebook


def run_cell(source: str, names: dict[str, Any], count: int) -> list[dict[str, Any]]:
    """A cell's output, and the value of its last line, as Jupyter stores them."""
    body = ast.parse(source).body
    last = ast.Expression(body.pop().value) if body and isinstance(body[-1], ast.Expr) else None
    value = None
    with contextlib.redirect_stdout(io.StringIO()) as printed, contextlib.redirect_stderr(io.StringIO()):
        exec(compile(ast.Module(body, []), f"<cell {count}>", "exec"), names)
        if last is not None:
            value = eval(compile(last, f"<cell {count}>", "eval"), names)
    outputs: list[dict[str, Any]] = []
    if text := printed.getvalue():
        outputs.append({"output_type": "stream", "name": "stdout", "text": lines(text)})
    if value is not None:
        data = {"text/plain": lines(repr(value))}
        if hasattr(value, "_repr_html_"):
            data["text/html"] = lines(value._repr_html_())
        outputs.append(
            {"output_type": "execute_result", "execution_count": count, "metadata": {}, "data": data}
        )
    return outputs


def lines(text: str) -> list[str]:
    return text.splitlines(keepends=True)


def plain(notebook: dict[str, Any]) -> list[str]:
    """Each code cell's output, as plain text."""
    return [
        " ".join(shown(output) for output in cell["outputs"])
        for cell in notebook["cells"]
        if cell["cell_type"] == "code"
    ]


def shown(output: dict[str, Any]) -> str:
    """The visible text of an output: that of its HTML if it has some."""
    if "text" in output:
        return "".join(output["text"])
    data = output["data"]
    return (
        re.sub(r"<[^>]+>", " ", "".join(data["text/html"]))
        if "text/html" in data
        else "".join(data["text/plain"])
    )


def main() -> None:
    for path in [Path(name).resolve() for name in sys.argv[1:]]:
        with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
            notebook = run_notebook(path)
        path.write_text(json.dumps(notebook, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()

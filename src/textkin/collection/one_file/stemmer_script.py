"""A Snowball stemmer in JavaScript, translated from its Python code, which the Snowball compiler made.

The compiler's code uses a small part of the language: methods without closures, strings, whole numbers, and
exceptions that only leave a block. So the translation is by kinds of nodes, and what it doesn't know is an
error here, never another stem there.
"""

import ast
import json
from importlib import resources

_COMPARED = {
    ast.Eq: "===",
    ast.NotEq: "!==",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.Is: "===",
}
_CALCULATED = {ast.Add: "+", ast.Sub: "-"}
_JOINED = {ast.And: " && ", ast.Or: " || "}
_VALUES = {True: "true", False: "false", None: "null"}


def stemmer_script(language: str) -> str:
    """The script that defines a language's class of stemmers, ``LanguageStemmer``.

    Args:
        language: its name in ``snowballstemmer``, such as "english".

    Raises:
        NotImplementedError: the code has a construct that isn't known.
    """
    code = resources.files("snowballstemmer").joinpath(f"{language}_stemmer.py").read_text(encoding="utf-8")
    [made] = [one for one in ast.parse(code).body if isinstance(one, ast.ClassDef) and not _is_label(one)]
    methods = [one for one in made.body if isinstance(one, ast.FunctionDef)]
    values = [one for one in made.body if isinstance(one, ast.Assign)]
    lines = [f"class LanguageStemmer extends Snowball {{\n{_indented([_method(one) for one in methods])}\n}}"]
    for one in values:
        [target] = one.targets
        place = "LanguageStemmer" if _is_table(one.value) else "LanguageStemmer.prototype"
        lines.append(f"{place}.{_text(target)} = {_expression(one.value)};")
    script = "\n".join(lines).replace(f"{made.name}.", "LanguageStemmer.")
    return f'"use strict";\n{script}\n'


def _is_label(node: ast.ClassDef) -> bool:
    return node.name.startswith("lab")


def _is_table(node: ast.expr) -> bool:
    return isinstance(node, ast.List | ast.Set | ast.Tuple) or (
        isinstance(node, ast.Constant) and isinstance(node.value, str)
    )


def _method(node: ast.FunctionDef) -> str:
    names = [one.arg for one in node.args.args[1:]]
    own = {
        target.id
        for each in ast.walk(node)
        if isinstance(each, ast.Assign)
        for target in each.targets
        if isinstance(target, ast.Name)
    }
    declared = [f"let {', '.join(sorted(own))};"] if own else []
    body = [*declared, *map(_statement, node.body)]
    return f"{node.name}({', '.join(names)}) {{\n{_indented(body)}\n}}"


def _block(body: list[ast.stmt]) -> str:
    return f"{{\n{_indented(list(map(_statement, body)))}\n}}"


def _indented(lines: list[str]) -> str:
    return "\n".join(f"  {line}" for part in lines for line in part.splitlines())


def _statement(node: ast.stmt) -> str:
    if isinstance(node, ast.Try) and isinstance(node.handlers[0].type, ast.Name):
        return f"{node.handlers[0].type.id}: {_block(node.body)}"
    if isinstance(node, ast.While):
        return f"while ({_expression(node.test)}) {_block(node.body)}"
    if isinstance(node, ast.For):
        return f"for (const {_text(node.target)} of {_expression(node.iter)}) {_block(node.body)}"
    if isinstance(node, ast.If):
        other = f" else {_block(node.orelse)}" if node.orelse else ""
        return f"if ({_expression(node.test)}) {_block(node.body)}{other}"
    return f"{_line(node)};"


def _line(node: ast.stmt) -> str:
    found = ""
    if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call):
        found = f"break {_text(node.exc.func)}"
    elif isinstance(node, ast.Return):
        found = "return" if node.value is None else f"return {_expression(node.value)}"
    elif isinstance(node, ast.Assign):
        found = f"{_expression(node.targets[0])} = {_expression(node.value)}"
    elif isinstance(node, ast.AugAssign):
        found = f"{_expression(node.target)} {_CALCULATED[type(node.op)]}= {_expression(node.value)}"
    elif isinstance(node, ast.Expr):
        found = _expression(node.value)
    elif isinstance(node, ast.Break | ast.Continue):
        found = type(node).__name__.lower()
    elif not isinstance(node, ast.Pass):
        raise _unknown(node)
    return found


def _expression(node: ast.expr) -> str:
    if isinstance(node, ast.Constant):
        return _constant(node)
    if isinstance(node, ast.Name | ast.Attribute):
        return _text(node)
    if isinstance(node, ast.List | ast.Tuple):
        return f"[{', '.join(map(_expression, node.elts))}]"
    if isinstance(node, ast.Set):
        return json.dumps("".join(ast.literal_eval(node)))
    if isinstance(node, ast.Subscript):
        return f"{_expression(node.value)}[{_expression(node.slice)}]"
    if isinstance(node, ast.Call):
        return _call(node)
    return _calculation(node)


def _calculation(node: ast.expr) -> str:
    if isinstance(node, ast.UnaryOp):
        sign = "!" if isinstance(node.op, ast.Not) else "-"
        return f"{sign}({_expression(node.operand)})"
    if isinstance(node, ast.BoolOp):
        return f"({_JOINED[type(node.op)].join(map(_expression, node.values))})"
    if isinstance(node, ast.BinOp):
        return f"({_expression(node.left)} {_CALCULATED[type(node.op)]} {_expression(node.right)})"
    if isinstance(node, ast.Compare):
        [compared], [other] = node.ops, node.comparators
        return f"({_expression(node.left)} {_COMPARED[type(compared)]} {_expression(other)})"
    raise _unknown(node)


def _constant(node: ast.Constant) -> str:
    value = node.value
    return _VALUES[value] if value is None or isinstance(value, bool) else json.dumps(value)


def _call(node: ast.Call) -> str:
    given = list(map(_expression, node.args))
    if isinstance(node.func, ast.Name) and node.func.id == "len":
        return f"{given[0]}.length"
    if isinstance(node.func, ast.Name) and node.func.id == "Among":
        conditions = [json.dumps(_text(one)) for one in node.args[3:]]
        return f"[{', '.join([*given[:3], *conditions])}]"
    return f"{_text(node.func)}({', '.join(given)})"


def _text(node: ast.expr) -> str:
    """A name, or a field of an object; the object itself is "this"."""
    if isinstance(node, ast.Name):
        return "this" if node.id == "self" else node.id
    if isinstance(node, ast.Attribute):
        return f"{_text(node.value)}.{node.attr}"
    raise _unknown(node)


def _unknown(node: ast.AST) -> NotImplementedError:
    return NotImplementedError(f"no JavaScript is known for {ast.unparse(node)}")

"""Gold groups of texts: a table with an id and a group in each row."""

from pathlib import Path

from textkin.base.errors import DataError
from textkin.data.readers.columns import find_id_column, plain_names
from textkin.data.readers.table import open_table

_GROUPS = ("group", "group_id", "cluster", "cluster_id", "component")


def read_gold_groups(path: Path | str) -> dict[str, str]:
    """Read a mapping from id to group; the columns are named id and group, or are the only two.

    Rows without a group are skipped, as the group of their text is unknown.

    Raises:
        DataError: the file can't be read, has no such columns, or an id is repeated with different groups.
    """
    table = open_table(path)
    names = plain_names(table.header)
    ids = find_id_column(table.header)
    group = next((names.index(name) for name in _GROUPS if name in names), None)
    if table.width == 2 and (ids is None or group is None):
        ids, group = 0, 1
    if ids is None or group is None:
        raise DataError("can't tell which columns are the id and the group", path=path, fix="name them so")
    found: dict[str, str] = {}
    for row in table.rows():
        key, name = row.fields[ids].strip(), row.fields[group].strip()
        if name and found.setdefault(key, name) != name:
            raise DataError(
                f"id {key!r} is in {found[key]!r} and in {name!r}", path=path, line=row.line, fix="name one"
            )
    return found

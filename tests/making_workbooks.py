"""Spreadsheets for tests, as Excel would lay them out."""

from __future__ import annotations

import zipfile
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from xml.sax.saxutils import escape

_NS = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
_REL = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"


class Formula(str):
    """A formula without its value."""

    __slots__ = ()


Cell = str | float | bool | datetime


def write_workbook(
    path: Path,
    sheets: Mapping[str, Sequence[Sequence[Cell]]],
    *,
    merged: Sequence[str] = (),
    hidden: Collection[str] = (),
) -> Path:
    """Write sheets of cells: texts, numbers, truth values, times and :class:`Formula`; "" leaves a cell out.

    Ranges such as A2:A3 are merged in each sheet. Hidden sheets are given by name.
    """
    numbers = range(1, len(sheets) + 1)
    listed = "".join(
        f'<sheet name="{escape(name)}" sheetId="{number}" r:id="r{number}"'
        f' state="{"hidden" if name in hidden else "visible"}"/>'
        for number, name in zip(numbers, sheets, strict=True)
    )
    links = "".join(
        f'<Relationship Id="r{number}" Type="{_REL}/worksheet" Target="worksheets/sheet{number}.xml"/>'
        for number in numbers
    )
    links += f'<Relationship Id="styles" Type="{_REL}/styles" Target="styles.xml"/>'
    kind = "application/vnd.openxmlformats-officedocument.spreadsheetml"
    types = "".join(
        f'<Override PartName="/xl/worksheets/sheet{number}.xml" ContentType="{kind}.worksheet+xml"/>'
        for number in numbers
    )
    with zipfile.ZipFile(path, "w") as packed:
        packed.writestr(
            "[Content_Types].xml",
            f'<Types xmlns="{_PACKAGE}/content-types">'
            '<Default Extension="rels" '
            'ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
            f'<Override PartName="/xl/workbook.xml" ContentType="{kind}.sheet.main+xml"/>{types}</Types>',
        )
        packed.writestr(
            "_rels/.rels",
            f'<Relationships xmlns="{_PACKAGE}/relationships"><Relationship Id="r1" '
            f'Type="{_REL}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
        )
        packed.writestr(
            "xl/workbook.xml", f'<workbook {_NS} xmlns:r="{_REL}"><sheets>{listed}</sheets></workbook>'
        )
        packed.writestr(
            "xl/_rels/workbook.xml.rels",
            f'<Relationships xmlns="{_PACKAGE}/relationships">{links}</Relationships>',
        )
        packed.writestr(
            "xl/styles.xml",
            f'<styleSheet {_NS}><cellXfs><xf numFmtId="0"/><xf numFmtId="22"/></cellXfs></styleSheet>',
        )
        for number, rows in zip(numbers, sheets.values(), strict=True):
            packed.writestr(f"xl/worksheets/sheet{number}.xml", _sheet(rows, merged))
    return path


def _sheet(rows: Sequence[Sequence[Cell]], merged: Sequence[str]) -> str:
    cells = "".join(
        f'<row r="{number}">'
        + "".join(
            _cell(f"{chr(ord('A') + place)}{number}", value) for place, value in enumerate(row) if value != ""
        )
        + "</row>"
        for number, row in enumerate(rows, 1)
    )
    ranges = "".join(f'<mergeCell ref="{one}"/>' for one in merged)
    spans = f"<mergeCells>{ranges}</mergeCells>" if merged else ""
    return f"<worksheet {_NS}><sheetData>{cells}</sheetData>{spans}</worksheet>"


def _cell(place: str, value: Cell) -> str:
    if isinstance(value, datetime):
        return f'<c r="{place}" s="1"><v>{(value - datetime(1899, 12, 30)) / timedelta(days=1)}</v></c>'
    if isinstance(value, bool):
        return f'<c r="{place}" t="b"><v>{int(value)}</v></c>'
    if isinstance(value, Formula):
        return f'<c r="{place}"><f>{escape(value)}</f><v/></c>'
    if isinstance(value, str):
        return f'<c r="{place}" t="inlineStr"><is><t xml:space="preserve">{escape(value)}</t></is></c>'
    return f'<c r="{place}"><v>{value}</v></c>'

"""Every link in the Markdown files is valid, and the result pages match the data."""

import re
import tomllib
from collections import Counter
from pathlib import Path

import pytest
from results.entries import FOLDER, QUICK, SETTING, WrongResult, read_results
from results.render import PAGES, WIDTH, render, slug, write_pages
from results.rerun import differences, figures_at, half_digit

from textkin.cli import app

ROOT = Path(__file__).resolve().parent.parent
MADE = {"runs", "demo-run", "build", "dist"}  # ignored by git, in addition to names with a dot
FOLDERS = [path for path in ROOT.iterdir() if path.is_dir() and path.name[0] != "." and path.name not in MADE]
DOCUMENTS = sorted([*ROOT.glob("*.md"), *(path for folder in FOLDERS for path in folder.rglob("*.md"))])
FENCE = re.compile(r"^( *)(```+|~~~+).*?^\1\2[`~]*\s*?$", re.MULTILINE | re.DOTALL)
CODE = re.compile(r"(`+)(?!`).+?(?<!`)\1(?!`)", re.DOTALL)
INLINE = re.compile(r"\]\(\s*<?([^)\s>]+)>?[^)]*\)")
USED = re.compile(r"\[[^\[\]]+\]\[([^\[\]]+)\]")
DEFINED = re.compile(r"^ {0,3}\[([^\[\]]+)\]:\s*<?([^\s>]+)>?", re.MULTILINE)

SPAN = re.compile(r"`([^`\n]+)`")
FLAG = re.compile(r"(?<![\w-])--[a-z][a-z0-9-]*")
PAST_OR_FOREIGN = ("CHANGELOG", "CONTRIBUTING", "from-")
COMMON = {"--completion", "--config", "--help", "--help-all"}
OF_OTHERS = {"--node-rank", "--master-addr", "--num-cpus"}


def prose(text):
    """Markdown without its code, which has no links."""
    return CODE.sub("", FENCE.sub("", text))


def targets(text):
    """The targets of links: inline ones and references."""
    plain = prose(text)
    defined = {name.lower(): target for name, target in DEFINED.findall(plain)}
    references = [defined.get(name.lower(), f"[{name}] is defined nowhere") for name in USED.findall(plain)]
    return [*INLINE.findall(plain), *references, *defined.values()]


def anchors(path):
    """GitHub's anchors of a file's headings, repeated ones numbered."""
    seen, found = Counter(), set()
    for heading in re.findall(r"^ {0,3}#{1,6} +(.+?) *#* *$", FENCE.sub("", path.read_text()), re.MULTILINE):
        name = slug(re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading))
        found.add(f"{name}-{seen[name]}" if seen[name] else name)
        seen[name] += 1
    return found


def broken(path):
    """The broken links of a file."""
    for target in targets(path.read_text()):
        if re.match(r"[a-z][a-z+.-]*:", target):
            continue
        place, _, anchor = target.partition("#")
        leads_to = (path.parent / place).resolve() if place else path
        if not leads_to.exists() or (anchor and anchor not in anchors(leads_to)):
            yield target


def test_there_are_documents():
    names = {path.relative_to(ROOT).as_posix() for path in DOCUMENTS}
    assert {"README.md", "CONTRIBUTING.md", "docs/metrics.md", "docs/results/index.md"} <= names


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_every_link_leads_somewhere(path):
    assert not list(broken(path))


def test_broken_links_are_found(tmp_path):
    (tmp_path / "other.md").write_text("# Codes of `hash`, with *stars*\n\n## Twice\n\n## Twice\n")
    page = tmp_path / "page.md"
    page.write_text(
        "# Here\n[a](other.md#codes-of-hash-with-stars) [b](other.md#twice-1) [c](#here) [d](https://x.example)\n"
        "[e](none.md) [f](other.md#twice-2) [g](#there) [h][1] [i][2] `[j](no.md)`\n"
        "```\n[k](no.md)\n# Not here\n```\n[l](#not-here)\n\n[1]: gone.md\n"
    )
    assert set(broken(page)) == {
        *("none.md", "other.md#twice-2", "#there", "gone.md", "[2] is defined nowhere", "#not-here"),
    }


@pytest.mark.slow
def test_pages_of_results_are_what_the_data_give():
    given = {path.name: path.read_text(encoding="utf-8") for path in PAGES.glob("*.md")}
    assert given == render(read_results()), "python3 dev.py results writes them"


def test_pages_of_subjects_that_are_gone_go(tmp_path):
    (tmp_path / "gone.md").write_text("old")
    write_pages(read_results(), tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == {path.name for path in PAGES.glob("*.md")}


def test_lines_fit():
    cards = ROOT / "src"  # written by textkin itself
    long = [
        f"{path.name}:{number}"
        for path in DOCUMENTS
        if cards not in path.parents
        for number, line in enumerate(path.read_text(encoding="utf-8").split("\n"), 1)
        if len(line) > WIDTH
    ]
    assert not long


def test_options_in_prose_are_those_of_a_command():
    """But for pages that set other programs' options beside ours, and those of what was run once."""
    flags = {one.flag for command in app.commands() for one in command.options}
    known = flags | COMMON | OF_OTHERS | {f"--no-{flag[2:]}" for flag in flags}
    wrong = []
    for path in DOCUMENTS:
        if path.parent.name in {"results", "examples"} or path.name.startswith(PAST_OR_FOREIGN):
            continue
        for span in SPAN.findall(FENCE.sub("", path.read_text(encoding="utf-8"))):
            if span.startswith("-") or span.startswith("textkin "):
                wrong += [f"{path.name}: {flag}" for flag in FLAG.findall(span) if flag not in known]
    assert not wrong


def test_the_index_fits_on_a_screen():
    rows = [line for line in (PAGES / "index.md").read_text().split("\n") if line.startswith("| [")]
    assert 20 <= len(rows) <= 35


def test_data_sets_have_hashes_and_names_without_a_machine():
    for data in tomllib.loads((FOLDER / SETTING).read_text())["data"].values():
        for name, digest in data.get("files", {}).items():
            assert re.fullmatch(r"[\w.-]+(/[\w.-]+)+", name)
            assert re.fullmatch(r"[0-9a-f]{64}", digest)


def test_what_is_stale_names_a_commit_and_every_commit_is_one():
    for subject in read_results():
        for entry in subject.entries:
            for commit in (entry.commit, *(stale.commit for stale in entry.stale)):
                assert re.fullmatch(r"[0-9a-f]{7}|", commit), entry.title


def write(folder, entry, setting="[machine]\nbox = 'a box'\n[data]\n"):
    (folder / SETTING).write_text(setting)
    (folder / "one.toml").write_text(f"title = 'One'\n[[entry]]\n{entry}")


WHOLE = "title = 'T'\nquestion = 'Q?'\nanswer = 'A.'\ncommands = 'run'\nmachine = 'box'\n"
TABLE = "[[entry.table]]\ncolumns = ['system', 'AP']\nrows = [['a', '0.64 (0.6 to 0.7)'], ['b', '1,974']]\n"


@pytest.mark.parametrize(
    ("entry", "told"),
    [
        (WHOLE.replace("answer = 'A.'\n", ""), "answer is missing"),
        (WHOLE + "anwser = 'A.'\n", "anwser is not a key"),
        (WHOLE + "index = ['a', 'b']\n", "index has 2 cells"),
        (WHOLE.replace("machine = 'box'\n", ""), "commands and machine go together"),
        (WHOLE.replace("'box'", "'none'"), "none is not in setting.toml"),
        (WHOLE + "data = ['none']\n", "none is not in setting.toml"),
        (WHOLE + TABLE.replace("'1,974'", "'1', '2'"), "3 cells for 2 columns"),
        (WHOLE + TABLE.replace("'AP'", "'system'"), "two columns have one name"),
        (WHOLE + TABLE + "[[entry.stale]]\ncommit = 'c'\nreason = 'r'\nrows = ['c']\n", "no row is called c"),
        (
            WHOLE + TABLE + "[entry.check]\ncommands = []\nseconds = 1\nfigures = {p = ['a', 'RR']}\n",
            "check refers to a, RR",
        ),
    ],
)
def test_wrong_results_are_refused(tmp_path, entry, told):
    write(tmp_path, entry)
    with pytest.raises(WrongResult, match=re.escape(told)):
        read_results(tmp_path)


def test_no_output_lies_at_the_top():
    """Commands tried in a checkout write their output there, and it must not be committed."""
    data = (".csv", ".html", ".json", ".jsonl", ".npy", ".npz", ".parquet", ".tsv")
    assert [path.name for path in ROOT.iterdir() if path.suffix in data] == []


def test_a_figure_is_compared_to_its_last_digit(tmp_path):
    check = "[entry.check]\ncommands = []\nseconds = 1\n[entry.check.figures]\n"
    write(tmp_path, WHOLE + TABLE + check + "'rows.x.AP' = ['a', 'AP']\n'count' = ['b', 'AP']\n")
    [subject] = read_results(tmp_path)
    [entry] = subject.entries
    assert entry.check is not None

    def found(value, low, count):
        interval = {"value": value, "low": low, "high": 0.7}
        return list(
            differences(entry, entry.check, {"rows": [{"name": "x", "AP": interval}], "count": count})
        )

    assert not found(0.6449, 0.6, 1974)
    assert len(found(0.6451, 0.6, 1974)) == 1
    assert len(found(0.64, 0.651, 1975)) == 2


TAKING = "[[entry]]\ntitle = 'U'\nquestion = 'Q?'\nanswer = 'A.'\n[[entry.table]]\ncolumns = ['s', 't']\n"
OLD = "[[entry.stale]]\ncommit = 'abcdef0'\nreason = 'why.'\nrows = ['b']\n"


def test_cells_take_figures_from_other_pages(tmp_path):
    taken = "rows = [['x', '= one / T / a / AP'], ['y', '= one / T / b / AP']]\n"
    write(tmp_path, WHOLE + TABLE + OLD + TAKING + taken)
    page = render(read_results(tmp_path))["one.md"]
    assert "| x | [0.64 (0.6 to 0.7)][1] |\n| y | [1,974 †][1] |" in page
    assert "[1]: one.md#t\n" in page


@pytest.mark.parametrize(
    "place", ["one / T / c / AP", "one / T / a / RR", "one / V / a / AP", "two / T / a / AP"]
)
def test_cells_that_lead_to_no_figure_are_refused(tmp_path, place):
    write(tmp_path, WHOLE + TABLE + TAKING + f"rows = [['x', '= {place}']]\n")
    with pytest.raises(WrongResult, match="leads to no figure"):
        render(read_results(tmp_path))


def test_thirty_entries_can_be_rerun():
    checks = [entry.check for subject in read_results() for entry in subject.entries if entry.check]
    assert sum(check.seconds < QUICK for check in checks) >= 30


def test_paths_into_printed_figures():
    assert figures_at({"a": [{"name": "x", "b": 1}]}, "a.x.b") == [1.0]
    assert half_digit("0.64") == pytest.approx(0.005)
    with pytest.raises(KeyError, match=r"y of a\.y"):
        figures_at({"a": [{"name": "x"}]}, "a.y")


def test_wide_tables_go_on_below_with_the_same_first_column(tmp_path):
    cells = ", ".join(f"'{'x' * 30}{number}'" for number in range(4))
    write(
        tmp_path,
        WHOLE + f"[[entry.table]]\ncolumns = ['k', 'a', 'b', 'c', 'd']\nrows = [['r', {cells}]]\n"
        "[[entry.stale]]\ncommit = 'abcdef0'\nreason = 'why.'\nrows = ['r']\n",
    )
    page = render(read_results(tmp_path))["one.md"]
    assert page.count("| r † |") == 2
    assert "† Measured before abcdef0: why." in page
    assert max(map(len, page.split("\n"))) <= WIDTH


def test_files_that_pages_and_docstrings_name_are_there():
    """The end of a path is enough: ``session.py``, or ``verbs/label/session.py``."""
    folders = ("src", "tests", "benchmarks", "docs", "results")
    sources = [path for folder in folders for path in (ROOT / folder).rglob("*.py")]
    known = [f"/{path.relative_to(ROOT).as_posix()}" for path in (*sources, *ROOT.glob("*.py"))]
    pages = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").glob("*.md")]
    named = {
        (path.relative_to(ROOT).as_posix(), found)
        for path in (*pages, *(ROOT / "src").rglob("*.py"))
        for found in re.findall(r"`((?:\w+/)*\w+\.py)`", path.read_text(encoding="utf-8"))
    }
    foreign = {"mteb/models/models_protocols.py"}
    gone = [
        one
        for one in named
        if one[1] not in foreign and not any(path.endswith(f"/{one[1]}") for path in known)
    ]
    assert gone == []

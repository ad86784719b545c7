"""Take the pictures of reports and of the page in docs/pictures: `python3 dev.py pictures`, with Chromium.

They are made of the bundled sample, in a folder that goes afterwards.
"""

from __future__ import annotations

import csv
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

PICTURES = Path(__file__).resolve().parent / "pictures"
TEXTKIN = Path(sys.executable).parent / "textkin"
DEDUPE = ("dedupe", "questions.tsv", "--text", "text", "--model", "minilm")
COMMANDS = (
    ("demo", "--practice", "."),
    ("study", "pairs.tsv", "--out", "study", "--models", "static", "--seeds", "1", "--f1"),
    (*DEDUPE, "--out", "drawn", "--sample", "100"),
    (*DEDUPE, "--out", "dedupe", "--labelled", "drawn/sample.csv", "--precision", "0.9"),
    ("score", "reset my password", "I forgot my password", "--explain", "--out", "explain.html"),
    ("mine", "questions.tsv", "--text", "text", "--model", "minilm", "--out", "mined.tsv"),
    ("collection", "add", "questions.kin", "questions.tsv", "--text", "text", "--metadata", "group,topic"),
    ("calibrate", "questions.kin", "--groups", "group", "--base-rate", "0.3"),
    ("export", "questions.kin", "--to", "html", "--out", "questions.html"),
)
# Each picture with its report and the size of the window.
SHOTS = {
    "study.png": ("study/report.html", "1280,900"),
    "deduplication.png": ("dedupe/report.html", "1280,960"),
    "explanation.png": ("explain.html", "1000,820"),
    "one-file.png": ("questions.html#search=my%20bike%20chain%20falls%20off", "1000,760"),
    "is-this-new.png": ("questions.html#match=My%20bike%20chain%20skips%20under%20load", "1000,760"),
}
# Each picture of the page with the command that serves it, the view, and the size of the window.
VIEWS = {
    "duplicates.png": (("serve", "default", "--runs", ".", "--log", "nothing"), "#duplicates", "1280,860"),
    "checking.png": (
        ("serve", "minilm", "questions.kin", "--log", "nothing"),
        "#match=My%20bike%20chain%20skips%20under%20load",
        "1000,940",
    ),
    "judging.png": (("label", "mined.tsv", "--precision", "0.95", "--page"), "#label", "1000,720"),
}


def main() -> int:
    """Make the reports and take the pictures."""
    browser = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if browser is None:
        sys.exit("take_pictures.py: no Chromium on the path; install the package chromium")
    PICTURES.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for command in COMMANDS:
            subprocess.run([str(TEXTKIN), *command], cwd=folder, check=True)
            if "--sample" in command:
                label(folder / "drawn" / "sample.csv", folder / "questions.tsv")
        for picture, (report, size) in SHOTS.items():
            file, _, asked = report.partition("#")
            take(browser, f"{(folder / file).as_uri()}#{asked}", picture, size)
        for picture, (command, view, size) in VIEWS.items():
            with served(folder, *command) as url:
                take(browser, f"{url}/{view}", picture, size)
    return 0


def label(sample: Path, questions: Path) -> None:
    """Label the pairs of a sample by the groups of the questions."""
    with questions.open(encoding="utf-8", newline="") as stream:
        groups = {row["text"]: row["group"] for row in csv.DictReader(stream, delimiter="\t")}
    with sample.open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream))
    for row in rows:
        row["same"] = "yes" if groups[row["text_a"]] == groups[row["text_b"]] else "no"
    with sample.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.DictWriter(stream, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)


def take(browser: str, url: str, picture: str, size: str) -> None:
    """Take a picture of what stands at an address."""
    subprocess.run(
        [
            *(browser, "--headless", "--no-sandbox", "--hide-scrollbars", f"--window-size={size}"),
            *("--run-all-compositor-stages-before-draw", "--virtual-time-budget=10000"),
            *(f"--screenshot={PICTURES / picture}", url),
        ],
        check=True,
        stderr=subprocess.DEVNULL,  # what it misses of a desktop
    )


@contextmanager
def served(folder: Path, *command: str) -> Iterator[str]:
    """Have a command serve at a free port; the address that it tells first."""
    process = subprocess.Popen(
        [str(TEXTKIN), *command, "--port", "0"], cwd=folder, stdout=subprocess.PIPE, text=True
    )
    try:
        yield next(iter(process.stdout or ()), "").split()[-1]
    finally:
        process.terminate()
        process.communicate()


if __name__ == "__main__":
    sys.exit(main())

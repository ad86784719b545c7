"""Take the pictures of reports in docs/pictures: `python3 dev.py pictures`, with Chromium on the path.

The reports are made of the bundled sample, in a folder that goes afterwards.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

PICTURES = Path(__file__).resolve().parent / "pictures"
TEXTKIN = Path(sys.executable).parent / "textkin"
COMMANDS = (
    ("demo", "--practice", "."),
    ("study", "pairs.tsv", "--out", "study", "--models", "static", "--seeds", "1", "--f1"),
    ("dedupe", "questions.tsv", "--text", "text", "--model", "minilm", "--out", "dedupe"),
    ("explain", "default", "reset my password", "I forgot my password", "--out", "explain.html"),
)
# Each picture with its report and the size of the window.
SHOTS = {
    "study.png": ("study/report.html", "1280,900"),
    "deduplication.png": ("dedupe/report.html", "1280,960"),
    "explanation.png": ("explain.html", "1000,820"),
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
        for picture, (report, size) in SHOTS.items():
            subprocess.run(
                [
                    *(browser, "--headless", "--no-sandbox", "--hide-scrollbars", f"--window-size={size}"),
                    *(f"--screenshot={PICTURES / picture}", (folder / report).as_uri()),
                ],
                check=True,
                stderr=subprocess.DEVNULL,  # what it misses of a desktop
            )
    return 0


if __name__ == "__main__":
    sys.exit(main())

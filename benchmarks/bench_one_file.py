"""A collection as one HTML file: its size, its speed in Chromium, and its hits beside Python's.

Run: ``python benchmarks/bench_one_file.py --texts FILE [--entries 2000 20000] [--queries 500]
[--analyser plain]``

FILE has one text per line. The first ones are entries, and queries are drawn from the others: as they are, in
capitals, their first three words, or with letters of other scripts in place of some. Thirty of 500 are texts
that parsers stumble over, in a dozen scripts and nine languages. The page searches in Chromium, Python in the
collection, both the ten best by words and vectors.
"""

from __future__ import annotations

import argparse
import random
import shutil
import tempfile
from pathlib import Path

import numpy as np
from playwright.sync_api import Browser, sync_playwright

import textkin as tk
from setting import show_setting
from textkin.verbs.deploy.export_page import ExportedPage

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
ODD = (
    "<script>alert(1)</script> how do I park",
    "</script><img src=x onerror=alert(1)>",
    "a\u2028b\u2029c how to learn",
    "\u202eevil \u202dtext\u2066 bidi\u2069 question",
    "nul\x00in the\x00middle",
    "[UNK] what is [UNK]",
    "Ünïcödé résumé naïve ß STRASSE İstanbul ıI",
    "ﬁne ofﬁce １２３ ｆｕｌｌ width",
    "日本語のテキスト を検索",
    "中文检索 如何学习",
    "한국어 질문 입니까",
    "ภาษาไทย คืออะไร",
    "हिन्दी में प्रश्न क्या है",
    "العربية السؤال كيف",
    "עברית שאלה אֵיךְ",
    "Привет как дела",
    "Γειά σου τι κάνεις ΣΟΦΟΣ",
    "தமிழ் ქართული Հայերեն",
    "😀 emoji 👩\u200d👩\u200d👧 family 🇩🇪 flag",
    "Wie lerne ich schnell Deutsch?",
    "Comment puis-je apprendre à programmer ?",
    "¿Cuál es la mejor manera de aprender inglés?",
    "Come posso perdere peso velocemente?",
    "Jak mogę nauczyć się programowania?",
    "İngilizce nasıl öğrenebilirim?",
    "x" * 150 + " long",
    "word " * 400,
    "C++ vs C# 10² m² 2½ Windows™",
    "e\u0301 decomposed cafe\u0301 soft\u00adhyphen",
    "\ue000 \u0378 \ufffd \ufeff zero\u200bwidth",
)
SEARCH = """queries => queries.map(query => {
    const start = performance.now(), hits = textkin.search(query).map(hit => [hit.id, hit.score]);
    return [performance.now() - start, hits];
})"""


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--texts", type=Path, required=True)
    parser.add_argument("--entries", type=int, nargs="+", default=[2_000, 20_000])
    parser.add_argument("--queries", type=int, default=500)
    parser.add_argument("--analyser", default="plain")
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args()
    show_setting("playwright")
    texts = list(dict.fromkeys(filter(str.strip, asked.texts.read_text(encoding="utf-8").split("\n"))))
    queries = drawn(texts[max(asked.entries) :], asked.queries, random.Random(asked.seed))
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as made:
        browser = made.chromium.launch(
            executable_path=next(filter(None, map(shutil.which, BROWSERS))), args=["--no-sandbox"]
        )
        print(f"Chromium {browser.version}, {len(queries):,} queries")
        for count in asked.entries:
            measure(browser, texts[:count], queries, Path(folder), analyser=asked.analyser)
        browser.close()


def drawn(texts: list[str], count: int, draws: random.Random) -> list[str]:
    """Queries: odd texts, and texts that are changed in several ways."""
    found = list(ODD)[:count]
    while len(found) < count:
        text, kind = draws.choice(texts), draws.random()
        if kind < 0.15:
            text = text.upper()
        elif kind < 0.3:
            text = " ".join(text.split()[:3])
        elif kind < 0.4:
            text = "".join(one if draws.random() > 0.05 else draws.choice("qxzéñ漢ж") for one in text)
        found.append(text)
    return found


def measure(browser: Browser, texts: list[str], queries: list[str], folder: Path, *, analyser: str) -> None:
    """Export one collection, and search it on both sides."""
    place, out = folder / f"{len(texts)}.kin", folder / f"{len(texts)}.html"
    with tk.open_collection(place, create=True, analyser=analyser) as collection:
        collection.add(texts, ids=[f"q{number}" for number in range(len(texts))])
        made = tk.export(collection, to="html", out=out)
        assert isinstance(made, ExportedPage)  # noqa: S101 - of a collection
        expected = collection.search(queries).hits
    page = browser.new_page()
    page.goto(out.as_uri())
    page.evaluate("opened.then(() => 1)")
    ready = page.evaluate("performance.now()")
    shown = page.evaluate(SEARCH, queries)
    page.close()
    same, off = 0, 0.0
    for (_, hits), found in zip(shown, expected, strict=True):
        same += [one for one, _ in hits] == [hit.entry_id for hit in found]
        theirs = {hit.entry_id: hit.score for hit in found}
        off = max([off, *(abs(score - theirs[one]) for one, score in hits if one in theirs)])
    times = np.array([milliseconds for milliseconds, _ in shown])
    print(
        f"{len(texts):,} texts, {analyser}: {made.bytes / 1e6:.1f} MB, open after {ready / 1000:.1f} s; "
        f"the same ten hits for {same:,} of {len(queries):,} queries, scores within {off:.1e}; ms a query: "
        f"median {np.median(times):.1f}, p99 {np.percentile(times, 99):.1f}",
        flush=True,
    )


if __name__ == "__main__":
    main()

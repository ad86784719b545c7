"""MkDocs hook: pages that lie outside docs/, links between all pages, pages that folders bring, no strangers.

Links are written as GitHub reads them, from file to file in the repository. Here they become links from page
to page of the site.
"""

from __future__ import annotations

import logging
import posixpath
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mkdocs.structure.files import File, InclusionLevel

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files
    from mkdocs.structure.pages import Page

_ROOT = Path(__file__).resolve().parent.parent
_PAGES = {
    "README.md": "index.md",
    "CHANGELOG.md": "project/changes.md",
    "CONTRIBUTING.md": "project/contributing.md",
    "LICENSE": "project/licence.md",
    "examples/README.md": "project/examples.md",
    "src/textkin/models/box/default/README.md": "models/default.md",
    "src/textkin/models/box/minilm/README.md": "models/minilm.md",
    "src/textkin/models/box/reader/README.md": "models/reader.md",
    "src/textkin/models/box/ranker/README.md": "models/ranker.md",
    "src/textkin/models/box/nli/README.md": "models/nli.md",
    "src/textkin/models/box/phrases/README.md": "models/phrases.md",
}
"""Files outside docs/ by their paths in the repository, and the pages that they become."""

_DOWNLOADS = ("examples/*.py", "examples/*.mjs", "examples/notebooks/*.ipynb")
"""Files that pages link to and that are no pages. The site has them under project/."""

_BEHIND = ("results/", "project/", "architecture.md", "decisions.md", "on-disk.md")
"""Pages that the search puts behind guides and reference, where they have the same words."""

_SOURCES = {page: path for path, page in _PAGES.items()}
_FOREIGN = re.compile(r'<(?:script|link|img|iframe|source)\b[^>]*?\b(?:src|href)="(?:https?:)?//[^"]*')
_CODE = re.compile(r"<pre\b.*?</pre>|<code\b[^>]*>.*?</code>", re.DOTALL)
_DASHES = re.compile(r"(?<![^\s>(])--\w")
_LINK = re.compile(r"(?<=\]\()(?![a-z]+:|#)([^)#\s]+)(?=[)#])")


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Put the pages of a folder, its index first, where the navigation names the folder alone."""
    for entry in config.nav or []:
        for title, value in entry.items():
            if isinstance(value, str) and value.endswith("/"):
                pages = sorted(page.name for page in Path(config.docs_dir, value).glob("*.md"))
                pages.sort(key=lambda name: name != "index.md")
                entry[title] = [value + page for page in pages]
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages that lie outside docs/, and the files that can be downloaded."""
    for path, page in _PAGES.items():
        text = (_ROOT / path).read_text(encoding="utf-8")
        if path == "LICENSE":
            text = f"# Licence\n\n```text\n{text}```\n"
        files.append(File.generated(config, page, content=text))
    for path in (path for pattern in _DOWNLOADS for path in sorted(_ROOT.glob(pattern))):
        target = _download(path.relative_to(_ROOT).as_posix())
        file = File.generated(config, target, abs_src_path=str(path), inclusion=InclusionLevel.INCLUDED)
        files.append(file)
    return files


def _download(path: str) -> str:
    """Where the site has a file of the repository that can be downloaded."""
    return f"project/{path}"


def on_page_markdown(markdown: str, page: Page, **_: Any) -> str:
    """The page with links to pages in place of those to files."""
    here = page.file.src_uri
    if here.startswith(_BEHIND):
        page.meta["search"] = {"boost": 0.3}
    folder = posixpath.dirname(_SOURCES.get(here, f"docs/{here}"))

    def linked(found: re.Match[str]) -> str:
        path = posixpath.normpath(posixpath.join(folder, found[1]))
        is_download = path.startswith("examples/") and path not in _PAGES
        target = _download(path) if is_download else _PAGES.get(path, path.removeprefix("docs/"))
        return posixpath.relpath(target, posixpath.dirname(here) or ".")

    return _LINK.sub(linked, markdown)


def on_page_content(html: str, **_: Any) -> str:
    """The page with options in its lines kept whole, whose hyphens browsers break lines after."""

    def kept(found: re.Match[str]) -> str:
        if found[0].startswith("<pre"):  # which scrolls
            return found[0]
        return _DASHES.sub(r'<span class="dashes">\g<0></span>', found[0])

    return _CODE.sub(kept, html)


def on_post_page(output: str, page: Page, **_: Any) -> None:
    """Warn of scripts, styles and pictures from elsewhere; a strict build then fails."""
    for found in _FOREIGN.findall(output):
        logging.getLogger("mkdocs.hooks").warning("%s loads from elsewhere: %s", page.file.src_uri, found)

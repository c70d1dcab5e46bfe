"""Links in the pages for people lead somewhere: to a file of this tree, and to a heading that it has."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PAGES = sorted(page for folder in (".", "docs", "weights", "renga/web") for page in (ROOT / folder).glob("*.md"))
LINK = re.compile(r"!?\[[^\]]*\]\(\s*([^)\s]+)[^)]*\)")
FENCE = re.compile(r"^( {0,3}```).*?^\1|^(?: {4}|\t).*?$|`[^`\n]+`", re.DOTALL | re.MULTILINE)
"""What is shown as it stands: fenced and indented blocks, and pieces between backquotes."""


def anchors(page: str) -> set[str]:
    """The names by which the headings of a page are linked: lower case, punctuation dropped, dashes for blanks."""
    headings = re.findall(r"^#+ +(.*?)\s*$", page, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def broken(page: Path, tree: Path = ROOT) -> list[str]:
    """Links of a page that do not lead to a file in the tree, or not to a heading there. The net's are not followed."""
    wrong = []
    for link in LINK.findall(FENCE.sub("", page.read_text(encoding="utf-8"))):
        if re.match(r"[a-z]+:", link):
            continue
        name, _, heading = link.partition("#")
        target = (page.parent / name).resolve() if name else page
        there = target.exists() and target.is_relative_to(tree)
        if not there or (heading and heading not in anchors(target.read_text(encoding="utf-8"))):
            wrong.append(link)
    return wrong


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_leads_to_a_file_and_a_heading_of_this_tree(page: Path) -> None:
    assert broken(page) == []


def test_a_link_that_leads_nowhere_is_found(tmp_path: Path) -> None:
    (tmp_path / "outside.md").touch()
    tree = tmp_path / "tree"
    tree.mkdir()
    page = tree / "page.md"
    page.write_text(
        "[a](gone.md) ![b](gone.png) [c](#no-such-heading) [d](../outside.md)\n"
        "[e](page.md#but-this) [f](https://example.org) `[g](shown)`\n\n## But, this\n\n    [h](shown.md)\n"
    )
    assert broken(page, tree) == ["gone.md", "gone.png", "#no-such-heading", "../outside.md"]


def test_every_page_is_in_the_index_and_every_picture_in_a_page() -> None:
    docs = ROOT / "docs"
    index = (docs / "README.md").read_text(encoding="utf-8")
    # Notes are a part of a network's card (weights/), which shows them.
    pages = {page.name for page in docs.glob("*.md")} - {"README.md", "renga.notes.md"}
    assert len(pages) > 10 and [name for name in sorted(pages) if f"({name}" not in index] == []
    text = "".join(page.read_text(encoding="utf-8") for page in PAGES)
    assert [picture.name for picture in (docs / "pictures").iterdir() if picture.name not in text] == []

"""What the lints read in a text is what JupyterLab shows of it."""

import pytest

from tests import markdown
from tests.markdown import Link


@pytest.mark.parametrize(
    "text, found",
    [
        ("[a *b* `c`](there.md)", [Link(False, "a b c", "there.md")]),
        ("![a picture](there.png)", [Link(True, "a picture", "there.png")]),
        ('[a](there.md "A title")', [Link(False, "a", "there.md")]),
        ("[a](a_(b).md)", [Link(False, "a", "a_(b).md")]),
        (
            "[a][1] and [b]\n\n[1]: x.md\n[b]: y.md",
            [Link(False, *"a x.md".split()), Link(False, *"b y.md".split())],
        ),
        ("[two\nlines](there.md)", [Link(False, "two lines", "there.md")]),
        ("[![seen](a.png)](b.md)", [Link(False, "seen", "b.md"), Link(True, "seen", "a.png")]),
        ("| a |\n|---|\n| [b](c) |", [Link(False, "b", "c")]),
        ("| a | b |\n|---|---|\n| [b | c](d) |", []),
        ("- one\n  - [b](c)", [Link(False, "b", "c")]),
        ("> **[b](c)**", [Link(False, "b", "c")]),
        ("see https://a.b/c.", [Link(False, "https://a.b/c", "https://a.b/c")]),
        ("<https://a.b>", [Link(False, "https://a.b", "https://a.b")]),
        ("`[a](b)`", []),
        ("```python\n[a](b)\n```", []),
        ("    [a](b)", []),
        (r"\[a](b)", []),
        ("<!-- [a](b) -->", []),
        ("x[0](y z)", []),
    ],
)
def test_links(text, found):
    assert markdown.links(markdown.blocks(text)) == found


@pytest.mark.parametrize(
    "text, found",
    [
        ("# One\n\ntext\n\n### Three `f()` #", [(1, "One"), (3, "Three f()")]),
        ("One\n===\n\nTwo\n---", [(1, "One"), (2, "Two")]),
        ("```\n# a comment\n```", []),
        ("~~~\n# a comment\n~~~", []),
        ("    # indented as code", []),
        ("#hashtag", []),
    ],
)
def test_headings(text, found):
    assert markdown.headings(markdown.blocks(text)) == found


def test_each_text_is_read_for_itself():
    assert markdown.headings(markdown.blocks("```\nnever closed", "# Two")) == [(1, "Two")]


def test_html_is_told_from_words_about_it():
    found = markdown.blocks("`<img>` and <b>bold</b>", "<img src='x'>\n\n```\n<p>\n```")
    assert markdown.html(found) == "<b></b><img src='x'>\n"


def test_parted_at_a_heading():
    found = markdown.blocks("# A", "before", "## B", "after")
    before, after = markdown.parted(found, "B")
    assert [markdown.words(block) for block in before] == ["A", "before"]
    assert [markdown.words(block) for block in after] == ["B", "after"]
    assert markdown.parted(found, "C") == (found, [])

"""Each term of the glossary first stands where the glossary says."""

import pytest

from helpers.memory.terms import terms
from helpers.upkeep.pages import glossary
from tests import first_stands, markdown

TERMS = terms()

pytestmark = pytest.mark.once
each = pytest.mark.parametrize("term", TERMS, ids=lambda term: term.name)


@each
def test_a_term_first_stands_where_the_glossary_says(term):
    first = first_stands.first_stand(term.marked)
    assert first, f"no lesson says {term.marked!r}"
    assert term.lesson == f"{first.lesson}#{first.section.replace(' ', '-')}"
    assert term.stands in first.words
    assert first_stands.saying(term.marked).search(term.stands)


@each
def test_what_it_means_is_said_in_a_sentence_or_two(term):
    assert term.means[0].isupper() or term.means[0] == "`"
    assert term.means.endswith(".")
    assert len(term.means.split()) <= 50


def test_terms_are_in_alphabetical_order_and_none_is_there_twice():
    names = [term.name.casefold() for term in TERMS]
    assert names == sorted(set(names))


def test_the_page_defines_each_term_and_links_its_lesson():
    text = glossary.page(TERMS, "../notebooks")
    (fenced,) = [one for one in markdown.blocks(text) if one["type"] == "block_code"]
    assert fenced["attrs"]["info"] == "{glossary}"  # which reads what is in it as Markdown
    assert all(f"{term.name}\n  {term.means} " in fenced["raw"] for term in TERMS)
    targets = [link.target for link in markdown.links(markdown.blocks(fenced["raw"]))]
    assert len(targets) == len(TERMS)
    assert "../notebooks/00_start_here.ipynb#Calling-is-not-running" in targets


def test_a_mark_counts_before_a_mere_word():
    assert first_stands.first_stand("task").section == "Three waits"  # said before, marked there
    assert first_stands.first_stand("round trip").lesson == "14"  # marked nowhere
    assert first_stands.first_stand("no such term") is None

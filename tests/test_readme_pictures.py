"""The README's pictures are as `course.py refresh` would draw them, and can be read everywhere."""

import re
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

from helpers.upkeep import readme_pictures
from helpers.upkeep.panel import PER_CHARACTER, WIDTH, Panel
from tests import markdown

ROOT = Path(__file__).resolve().parent.parent
SVG = "{http://www.w3.org/2000/svg}"
pytestmark = pytest.mark.once


def panels():
    return {"explorer": readme_pictures.explorer(), "mistake": readme_pictures.mistake()}


def test_they_are_as_refresh_would_draw_them(tmp_path):
    readme_pictures.save(tmp_path)
    fresh = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    stored = {path.name: path.read_bytes() for path in readme_pictures.FOLDER.iterdir()}
    assert stored == fresh, "run: python3 course.py refresh"


def test_the_readme_shows_them_all_and_says_what_they_show():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    shown = {
        target: words
        for is_image, words, target in markdown.links(markdown.blocks(text))
        if is_image
    }
    assert set(shown) == {f"pictures/{path.name}" for path in readme_pictures.FOLDER.glob("*.svg")}
    assert len(shown) == 3 and all(len(words) > 100 for words in shown.values())


def test_what_the_mistake_says_is_what_the_readme_says():
    said = readme_pictures.mistake().title
    text = " ".join((ROOT / "README.md").read_text(encoding="utf-8").split())
    (observed,) = re.findall(r"It took .+? s\.", said)
    assert observed in text


def lines_of(panel):
    """(x, words) of each line of a panel."""
    for text in ElementTree.fromstring(panel.svg()).iter(f"{SVG}text"):
        yield float(text.get("x")), "".join(text.itertext())


def test_every_line_fits_and_whatever_the_font():
    long = Panel("long")
    long.words("**wide words** and `code that goes on` " * 20)
    long.boxes([("a title that is long", ["an entry that is longer than its box"] * 2)] * 4)
    for panel in [long, *panels().values()]:
        for x, words in lines_of(panel):
            assert x + len(words) * PER_CHARACTER <= WIDTH, words
    assert " ".join(words for _, words in lines_of(long)).count("code that") >= 10


def test_it_has_its_own_ground_for_light_and_for_dark():
    svg = Panel("<what> & more").svg()
    tree = ElementTree.fromstring(svg)
    assert tree.find(f"{SVG}title").text == "<what> & more"
    assert tree.find(f"{SVG}rect").get("class") == "ground"
    light, dark = re.findall(r"\.ground \{ fill: (#\w+)", svg)
    assert light == "#ffffff" and dark != light
    assert "://" not in svg.replace("http://www.w3.org/2000/svg", ""), "nothing is loaded"

"""The timeline in a page: what a notebook gets, colours, names, sizes, and a file of its own."""

import asyncio
import re
import subprocess
import sys
import time
from pathlib import Path
from urllib.parse import unquote
from xml.etree import ElementTree

import pytest

from helpers.pictures.timeline import timeline
from helpers.pictures.timeline_looks import LOOKS
from tests.stories import nap, recorded
from tests.timelines import drawn, one_by_one, page, titles_in, together, tree

ROOT = Path(__file__).parent.parent


def test_a_notebook_shows_the_picture_and_the_same_in_words(capsys):
    figure = timeline(recorded(one_by_one()), title='<"quoted"> & {more}')
    bundle = figure._repr_mimebundle_()
    assert set(bundle) == {"text/html", "text/plain"}
    assert bundle["text/plain"] == figure.text
    image, details, script = page(figure)
    kind, _, source = image.get("src").partition(",")
    assert kind == "data:image/svg+xml" and unquote(source) == figure.svg
    svg = tree(figure)
    assert (
        svg.get("aria-label")
        == image.get("alt")
        == ('<"quoted"> & {more}. Timeline of 6.00 s of virtual time: 1 loop and 1 task.')
    )
    assert svg.get("role") == "img"
    assert [line.text for line in details[1:]] == figure.text.splitlines()
    assert len(script.text.encode()) < 8_000
    assert len(bundle["text/html"]) < 25_000
    assert capsys.readouterr() == ("", "")


def test_nothing_is_loaded_from_elsewhere():
    html = timeline(recorded(together()))._repr_mimebundle_()["text/html"]
    assert set(re.findall(r"https?://[^'\" ]+", html)) == {"http://www.w3.org/2000/svg"}
    assert not re.search(r"\b(src|href)=(?!'data:)|@import|url\((?!%23)", html)


def test_ten_pictures_on_one_page_share_no_name():
    figures = [timeline(recorded(together())) for _ in range(10)]
    names = [name for figure in figures for name in re.findall(r' id="([^"]+)"', figure.svg)]
    assert len(names) == len(set(names)) == 20
    for figure in figures:
        used = re.findall(r"url\(#([^)]+)\)", figure.svg)
        assert set(used) == set(re.findall(r' id="([^"]+)"', figure.svg))


def test_states_are_told_apart_without_colour():
    hatched = {"ready", "suspended", "blocked"}
    css = (ROOT / "helpers" / "pictures" / "timeline.css").read_text()
    for state in LOOKS:
        rule = re.search(rf"\.{state}\b[^{{]*{{([^}}]*)}}", css)[1]
        assert ("fill: var(--ready)" in rule or "fill: var(--blocked)" in rule) == (
            state in hatched
        )
    for row in (26, 32):
        heights = {
            state: LOOKS[state].of(row)
            for state in ("selecting", "waiting", "ready", "running", "blocked")
        }
        ordered = sorted(heights.values())
        assert all(two - one > 2 for one, two in zip(ordered, ordered[1:]))
    generator = ("created", "running", "suspended", "closed")
    assert len({(LOOKS[state].of(32), state in hatched) for state in generator}) == 4


def luminance(colour):
    digits = colour[1:] if len(colour) == 7 else "".join(2 * digit for digit in colour[1:])
    parts = [int(digits[i : i + 2], 16) / 255 for i in (0, 2, 4)]
    lights = [p / 12.92 if p <= 0.03928 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return sum(weight * light for weight, light in zip((0.2126, 0.7152, 0.0722), lights))


def contrast(one, other):
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("theme", [0, 1], ids=["light", "dark"])
def test_words_and_marks_stand_out_from_their_ground(theme):
    css = (ROOT / "helpers" / "pictures" / "timeline.css").read_text()
    pairs = re.findall(r"--([\w-]+): light-dark\((#\w+), (#\w+)\)", css)
    colours = {name: both[theme] for name, *both in pairs}
    plain = dict(re.findall(r"--([\w-]+): (#\w+)", css))
    assert {name: light for name, light, _ in pairs} == plain  # said alike where it is said twice
    for words in ("ink", "soft"):
        for ground in ("ground", "amber", "red"):
            assert contrast(colours[words], colours[ground]) >= 4.5
    for mark in ("edge", "run", "run-edge", "amber-edge", "red-edge", "wake", "back", "focus"):
        assert contrast(colours[mark], colours["ground"]) >= 3
    for face, hatch in (("amber", "amber-edge"), ("red", "red-edge")):
        assert contrast(colours[face], colours[hatch]) >= 3


def test_ten_thousand_tasks_are_drawn_in_no_time():
    async def main():
        await asyncio.gather(*[nap(1 + n % 97) for n in range(10_000)])

    rec = recorded(main())
    start = time.process_time()
    html = timeline(rec)._repr_mimebundle_()["text/html"]
    assert time.process_time() - start < 3  # bench holds it to 0.6 s
    assert len(html) < 400_000


def test_a_lane_of_many_steps_stays_small():
    async def main():
        for _ in range(20_000):
            await asyncio.sleep(0)
        for _ in range(200):
            await asyncio.sleep(0.001)

    rec = recorded(main(), None)
    figure = timeline(rec)
    assert len(figure._repr_mimebundle_()["text/html"]) < 60_000
    assert re.search(r"main ran \d{3,} times", " ".join(titles_in(drawn(rec))))


def test_save(tmp_path):
    figure = timeline(recorded(together()), title="Three {waits}")
    figure.save(tmp_path / "a.svg")
    timeline(recorded(together()), title="Three {waits}").save(str(tmp_path / "b.svg"))
    assert (tmp_path / "a.svg").read_bytes() == (tmp_path / "b.svg").read_bytes()
    root = ElementTree.parse(tmp_path / "a.svg").getroot()
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    assert root[0].text == "Three {waits}" and root[1].text == figure.alt
    with pytest.raises(ValueError, match=r"cannot save as a\.gif: the path must end in \.svg"):
        figure.save(tmp_path / "a.gif")


def test_no_plotting_library_is_needed():
    code = (
        "import sys; from helpers import record, run, timeline; import asyncio\n"
        "with record() as rec: run(asyncio.sleep(1), clock='virtual')\n"
        "timeline(rec)._repr_mimebundle_()\n"
        "sys.exit(bool({'matplotlib', 'numpy'} & set(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT).returncode == 0

"""Timelines in a real browser: what a bar says, by mouse and by keys; closer; themes; layout."""

import asyncio
import re
from concurrent.futures import ThreadPoolExecutor

import pytest
from playwright.sync_api import expect, sync_playwright

from helpers.pictures.timeline import timeline
from tests import browser
from tests.stories import nap, recorded
from tests.timelines import conversation, crowd, jobs, one_by_one, together

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(
        browser.CHROMIUM is None, reason="there is no Chromium here: apt install chromium"
    ),
]

GROUND = "svg => getComputedStyle(svg.querySelector('.ground')).fill"
# Of each text that is seen: what it says, and where it is. At an edge a pixel is allowed.
TEXTS = """svg => {
    const whole = svg.getBoundingClientRect(), seen = [];
    for (const text of svg.querySelectorAll('text')) {
        const box = text.getBoundingClientRect(), plot = text.closest('.plot');
        const around = plot ? plot.getBoundingClientRect() : whole;
        if (!box.width) continue;
        const cut = box.left < Math.max(around.left, whole.left) - 1 ||
            box.right > Math.min(around.right, whole.right) + 1 ||
            box.top < whole.top - 1 || box.bottom > whole.bottom + 1;
        seen.push([text.firstChild.textContent, cut, box.left, box.right, box.top, box.bottom]);
    }
    return seen;
}"""


@pytest.fixture(scope="module")
def chromium():
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=browser.CHROMIUM, args=browser.FLAGS)
        yield launched
        launched.close()


@pytest.fixture
def page(chromium):
    page = chromium.new_page(viewport={"width": 1000, "height": 900})
    page.set_default_timeout(10_000)
    page.errors = []
    page.on("pageerror", lambda error: page.errors.append(error))
    yield page
    assert page.errors == []
    page.close()


def show(page, *figures, around="{}"):
    """Put the figures into a page of their own; return what the first looks like."""
    html = "".join(figure._repr_mimebundle_()["text/html"] for figure in figures)
    page.set_content(around.format(html))
    return page.locator("svg.timeline").first


def made(make):
    """What `make` records: in a thread of its own, for Playwright has a loop in this one."""
    with ThreadPoolExecutor(1) as pool:
        return timeline(pool.submit(make).result())


def said(page, nth=0):
    return page.locator(".said > span:first-child").nth(nth)


def long_names():
    async def main():
        await asyncio.gather(
            *(asyncio.create_task(nap(n), name=f"{n} WWWW a name too long") for n in (1, 2))
        )

    return recorded(main())


RECORDINGS = {
    "one by one": lambda: recorded(one_by_one()),
    "together": lambda: recorded(together()),
    "crowd": lambda: recorded(crowd()),
    "twenty": lambda: recorded(crowd(20)),
    "conversation": conversation,
    "jobs": jobs,
    "long names": long_names,
    "panels": lambda: {"one": recorded(one_by_one()), "together": recorded(together())},
}


@pytest.mark.parametrize("make", RECORDINGS.values(), ids=RECORDINGS)
def test_no_label_is_cut_or_covered(page, make):
    svg = show(page, made(make))
    for width in (600, 1000):
        page.set_viewport_size({"width": width, "height": 900})
        seen = svg.evaluate(TEXTS)
        assert [text for text, cut, *_ in seen if cut] == []
        covered = [
            (text, other)
            for i, (text, _, left, right, top, bottom) in enumerate(seen)
            for other, _, left2, right2, top2, bottom2 in seen[:i]
            if min(right, right2) - max(left, left2) > 1
            and min(bottom, bottom2) - max(top, top2) > 3
        ]
        assert covered == []


def test_a_bar_answers_to_the_mouse_and_to_keys(page):
    svg = show(page, made(lambda: recorded(together())), made(lambda: recorded(one_by_one())))
    expect(said(page)).to_contain_text("Point at a bar")
    second = svg.locator(".lane").nth(2)
    box = second.bounding_box()
    # Beside the bar, which is a few pixels high, but at its time and on its lane.
    page.mouse.move(box["x"] + 30, box["y"] + box["height"] / 2 + 8)
    expect(said(page)).to_have_text(
        re.compile(r"^nap-1 waited for sleep from 0 µs to 1\.00 s .*; woken by its timer\.$")
    )
    page.mouse.move(5, 5)
    stops = page.locator('svg.timeline [tabindex="0"]')
    expect(stops).to_have_count(2)  # one in each picture
    page.keyboard.press("Tab")
    expect(page.locator(":focus")).to_have_accessible_name(re.compile("The loop had nothing"))
    for key, starts in (
        ("ArrowDown", "together waited for gather"),
        ("ArrowDown", "nap-1 waited"),
        ("ArrowUp", "together waited"),
        ("ArrowRight", "together waited"),  # it has no other
    ):
        page.keyboard.press(key)
        expect(page.locator(":focus")).to_have_accessible_name(re.compile(f"^{starts}"))
        expect(said(page)).to_have_text(re.compile(f"^{starts}"))
    expect(stops).to_have_count(2)
    expect(said(page, 1)).to_contain_text("Point at a bar")


def test_a_part_is_shown_closer_and_the_whole_again(page):
    svg = show(page, made(lambda: recorded(one_by_one())))
    before = svg.evaluate("svg => svg.outerHTML")
    plot = svg.locator(".plot").bounding_box()
    y = plot["y"] + plot["height"] / 2
    page.mouse.move(plot["x"] + plot["width"] * 0.5, y)
    page.mouse.down()
    page.mouse.move(plot["x"] + plot["width"] * 0.25, y)
    expect(svg.locator(".chosen")).to_have_count(1)
    page.mouse.up()
    expect(svg.locator(".chosen")).to_have_count(0)
    status = page.get_by_role("status")
    expect(status).to_have_text(re.compile(r"^1\.\d+ to 3\.\d+ seconds$"))
    numbers = svg.locator(".tick > text").filter(visible=True)
    assert {"2", "3"} <= set(numbers.all_text_contents())
    page.get_by_role("button", name="Whole").click()
    expect(status).to_have_text("")
    assert numbers.all_text_contents() == ["0", "1", "2", "3", "4", "5", "6"]
    svg.locator('[tabindex="0"]').focus()
    for key, shown in (("+", "3"), ("-", ""), ("=", "3"), ("0", "")):
        page.keyboard.press(key)
        expect(status).to_have_text(re.compile(rf" to {shown}\." if shown else "^$"))
    page.keyboard.press("Tab")  # what has the focus looks different
    after = svg.evaluate("svg => svg.outerHTML")
    strip = re.compile(r' (?:style="display: ;"|class="[^"]*"|style=""|tabindex="-?\d")')
    assert strip.sub("", before) == strip.sub("", after)


def test_folded_lanes_unfold(page):
    svg = show(page, made(lambda: recorded(crowd(60))))
    low = svg.bounding_box()["height"]
    names = svg.locator(".name").filter(visible=True)
    few = names.count()
    page.get_by_role("button", name="More lanes").click()
    assert svg.bounding_box()["height"] > low + 500
    assert names.count() == 60 + 3  # and the loop, who called them, and the tasks together
    assert few < 12
    svg.locator('[tabindex="0"]').focus()
    page.keyboard.press("f")
    assert svg.bounding_box()["height"] == low


@pytest.mark.parametrize(
    "around, scheme, dark",
    [
        ("{}", "light", False),
        ("{}", "dark", True),
        ('<body data-jp-theme-light="true">{}', "dark", False),
        ('<body data-jp-theme-light="false">{}', "light", True),
        ('<html data-theme="light"><body>{}', "dark", False),
        ('<html data-theme="dark"><body>{}', "light", True),
    ],
)
def test_colours_follow_the_page_and_paper_is_white(page, around, scheme, dark):
    page.emulate_media(color_scheme=scheme)
    svg = show(page, made(lambda: recorded(together())), around=f"<!doctype html>{around}")
    light = "rgb(255, 255, 255)"
    assert (svg.evaluate(GROUND) != light) == dark
    page.emulate_media(media="print", color_scheme=scheme)
    assert svg.evaluate(GROUND) == light
    ready = svg.evaluate("svg => getComputedStyle(svg).getPropertyValue('--ready')")
    assert svg.evaluate("(svg, url) => !!svg.querySelector(url.slice(4, -1))", ready)

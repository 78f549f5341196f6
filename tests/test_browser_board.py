"""The class board in a real browser: a question is asked and turned over, without a mouse."""

import os

import pytest
from playwright.sync_api import sync_playwright

from tests import browser
from tests.boards import board, check, guessed

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(
        browser.CHROMIUM is None, reason="there is no Chromium here: apt install chromium"
    ),
]

QUESTION = "05-busy"
ANSWER = "all that they can get"
# The least contrast of a text with what is behind it, as WCAG computes it.
CONTRAST = """() => {
  const light = colour => {
    const [r, g, b] = colour.match(/[\\d.]+/g).map(Number).map(v => v / 255)
      .map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const behind = element => {
    for (let one = element; one; one = one.parentElement) {
      const colour = getComputedStyle(one).backgroundColor;
      if (!/, 0\\)$/.test(colour)) return colour;
    }
    return 'rgb(255, 255, 255)';
  };
  const texts = [...document.querySelectorAll('main *')].filter(one =>
    [...one.childNodes].some(node => node.nodeType === 3 && node.data.trim()));
  return Math.min(...texts.map(one => {
    const [a, b] = [light(getComputedStyle(one).color), light(behind(one))].sort((x, y) => y - x);
    return (a + 0.05) / (b + 0.05);
  }));
}"""


def test_the_projector_is_turned_over_from_the_teachers_page(tmp_path):
    """By keyboard; nothing is loaded from elsewhere; letters are large; words stand off."""
    environment = os.environ | {"ASYNC_COURSE_DATA": str(tmp_path)}
    with board(environment) as class_:
        people = [class_.learner(number) for number in range(3)]
        for number, who in enumerate(people):
            truth = {"truth": ANSWER, "right": True} if number else {}
            class_.tell(who, guessed(QUESTION, ANSWER, **truth), check("queue-1"))
        with sync_playwright() as playwright:
            chromium = playwright.chromium.launch(
                executable_path=browser.CHROMIUM, args=browser.FLAGS
            )
            context = chromium.new_context(viewport={"width": 1280, "height": 720})
            asked = []
            context.on("request", lambda request: asked.append(request.url))
            teacher, room = context.new_page(), context.new_page()
            errors = []
            for page in teacher, room:
                page.on(
                    "console", lambda said: errors.append(said.text) if said.type == "error" else 0
                )
            teacher.goto(class_.enter)
            room.goto(f"{class_.address}/projector")
            teacher.focus(f"#open-{QUESTION}")
            teacher.keyboard.press("Enter")
            room.wait_for_selector("text=3 of 3 have guessed")
            assert not room.is_visible(".bars")
            teacher.wait_for_selector("#turn")
            teacher.focus("#turn")
            teacher.keyboard.press("Enter")
            room.wait_for_selector(f".bars .true >> text={ANSWER}")
            assert room.is_visible("text=what came out")
            for scheme in "light", "dark":
                room.emulate_media(color_scheme=scheme)
                assert room.evaluate(CONTRAST) >= 4.5
            letters = room.evaluate("parseFloat(getComputedStyle(document.body).fontSize)")
            assert letters >= 24  # of 720 lines: a thirtieth of the picture's height
            assert room.evaluate("document.documentElement.scrollWidth <= innerWidth")
            chromium.close()
        assert all(url.startswith(class_.address + "/") for url in asked) and "error" not in dict(
            errors
        )


def test_a_page_that_changes_leaves_what_somebody_points_at(tmp_path):
    """While a room is at work the page changes twice a second: a press must not get lost, nor what
    somebody types or has opened.
    """
    with (
        board(os.environ | {"ASYNC_COURSE_DATA": str(tmp_path)}) as class_,
        sync_playwright() as playwright,
    ):
        who = class_.learner(1)
        class_.tell(who, check("queue-1"), {"kind": "hand", "up": True})
        chromium = playwright.chromium.launch(executable_path=browser.CHROMIUM, args=browser.FLAGS)
        teacher = chromium.new_page()
        teacher.goto(class_.enter)
        button = teacher.query_selector(f"#open-{QUESTION}")
        teacher.click("summary >> text=Somebody without a network")
        teacher.fill("input[name=name]", "Grace")
        place = button.bounding_box()
        teacher.mouse.move(place["x"] + 5, place["y"] + 5)
        class_.tell(who, check("queue-1", "solved", ""), session="cd" * 8)
        teacher.wait_for_selector("text=20%")
        assert button.evaluate("button => button.isConnected")
        assert teacher.input_value("input[name=name]") == "Grace"
        assert teacher.is_visible("input[name=code]")
        teacher.close()
        chromium.close()

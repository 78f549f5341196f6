"""The field of a guess: a line to type in, or choices, with the question as its label."""

from collections.abc import Callable, Sequence

import ipywidgets
from markupsafe import Markup

from helpers.coach.cards import CLOSE, inline
from helpers.pictures.html import element

# ipywidgets ties the label of a line to it, but makes of choices neither a group with a name nor
# one through which the arrow keys lead; and JupyterLab would take those keys for itself. The
# choices may come into the page after this does, so they are looked for until they are there.
_GROUP = """
const box = this.closest('.course-guess');
const observer = new MutationObserver(group);
function group() {
  const choices = box.querySelector('.widget-radio-box');
  if (!choices) return observer.observe(box, {childList: true, subtree: true});
  observer.disconnect();
  const label = box.querySelector('.widget-label');
  label.id = 'guess-' + crypto.getRandomValues(new Uint32Array(2)).join('-');
  choices.setAttribute('role', 'radiogroup');
  choices.setAttribute('aria-labelledby', label.id);
  choices.setAttribute('data-lm-suppress-shortcuts', 'true');
  for (const radio of choices.querySelectorAll('input')) radio.name = label.id;
}
group();
"""

_STYLE = """
.course-guess .widget-text, .course-guess .widget-radio {
  display: flex; flex-flow: column; align-items: flex-start; width: auto; height: auto }
.course-guess .widget-label { width: auto; max-width: 46em; height: auto; text-align: left;
  white-space: normal; line-height: 1.45; font-size: inherit; margin-bottom: 4px }
.course-guess .widget-text > input { flex: none; width: 24em; max-width: 100% }
.course-guess .course-guess-number input { width: 8em }
.course-guess .widget-hbox > .widget-label { align-self: flex-end }
.course-guess .widget-radio-box { margin: 0 !important; width: auto }
.course-guess .widget-radio-box label { width: auto; height: auto; line-height: 1.45 }
"""


def field(
    question: str,
    said: str,
    say: Callable[[str], str],
    *,
    choices: Sequence[str] | None = None,
    unit: str | None = None,
) -> ipywidgets.Widget:
    """A field labelled by the question: a line, or choices, or a number with its unit.

    said: what stands in it at first.  say: called with what is said in it; what it returns is shown
    below, if anything.
    """
    told = ipywidgets.HTML()

    def changed(change):
        problem = say(change["new"] or "")
        told.value = element("p", problem, role="alert", style=CLOSE) if problem else ""

    # HTML, for the `code` in it.
    label = {"description": str(inline(question)), "description_allow_html": True}
    if choices is not None:
        entry = ipywidgets.RadioButtons(options=choices, value=said or None, **label)
    else:
        # What is typed comes when it is whole, at Enter or when the field is left: not at each key.
        entry = ipywidgets.Text(value=said, continuous_update=False, **label)
    entry.observe(changed, "value")
    rows = [entry, told]
    if unit is not None:
        entry.tooltip = f"A number, in {unit}" if unit else "A number"
        entry.add_class("course-guess-number")
        rows[0] = ipywidgets.HBox([entry, ipywidgets.Label(unit)])
    style = element("style", Markup(_STYLE), onload=_GROUP if choices else "")
    hidden = ipywidgets.HTML(style, layout=ipywidgets.Layout(display="none"))
    return ipywidgets.VBox([hidden, *rows]).add_class("course-guess")

"""The field of a guess: a line to type in, or choices, with the question as its label."""

from collections.abc import Callable, Sequence

import ipywidgets
from markupsafe import Markup

from helpers.coach.cards import CLOSE, inline
from helpers.pictures.html import element

# ipywidgets ties the label of a line to it, but no unit; and it makes of choices neither a group
# with a name nor one through which the arrow keys lead. JupyterLab would take those keys itself.
# The field may come into the page after this does, so it is looked for until it is there.
_NAME = """
const box = this.closest('.course-guess');
const observer = new MutationObserver(name);
function name() {
  const field = box.querySelector('.widget-text > input, .widget-radio-box');
  if (!field) return observer.observe(box, {childList: true, subtree: true});
  observer.disconnect();
  const id = 'guess-' + crypto.getRandomValues(new Uint32Array(2)).join('-');
  const unit = box.querySelector('.course-guess-unit');
  if (unit) {
    unit.id = id;
    field.setAttribute('aria-describedby', id);
  }
  if (field.matches('.widget-radio-box')) {
    field.parentElement.querySelector('.widget-label').id = id;
    field.setAttribute('role', 'radiogroup');
    field.setAttribute('aria-labelledby', id);
    for (const radio of field.querySelectorAll('input')) {
      radio.name = id;
      radio.setAttribute('data-lm-suppress-shortcuts', 'true');
    }
  }
}
name();
"""

_STYLE = """
.course-guess { max-width: 46em }
.course-guess .widget-text, .course-guess .widget-radio {
  display: flex; flex-flow: column; align-items: flex-start; width: auto; height: auto }
.course-guess .widget-hbox { flex-flow: row wrap }
.course-guess .widget-hbox > .widget-text { display: contents }
.course-guess .widget-text > .widget-label, .course-guess .widget-radio > .widget-label {
  flex: none; width: 100%; height: auto; margin-bottom: 4px; text-align: left; white-space: normal;
  font-size: var(--jp-content-font-size1, inherit); line-height: 1.45 }
.course-guess .widget-text > input { flex: none; width: 24em; max-width: 100% }
.course-guess .widget-hbox > .widget-text > input { width: 8em }
.course-guess .course-guess-unit { width: auto }
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
        rows[0] = ipywidgets.HBox([entry, ipywidgets.Label(unit).add_class("course-guess-unit")])
    style = element("style", Markup(_STYLE), onload=_NAME)
    hidden = ipywidgets.HTML(style, layout=ipywidgets.Layout(display="none"))
    return ipywidgets.VBox([hidden, *rows]).add_class("course-guess")

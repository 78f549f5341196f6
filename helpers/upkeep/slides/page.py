"""The slides as an HTML page: nbconvert's, with reveal.js inside; it needs no network."""

from importlib.resources import files
from pathlib import Path

from nbconvert import SlidesExporter
from nbformat import NotebookNode
from traitlets.config import Config

TEMPLATE = Path(__file__).parent / "template"
REVEAL = files("sphinx_revealjs") / "_static" / "revealjs"


def page(slides: NotebookNode, title: str) -> str:
    """The page of these slides, as `turns.slides` makes them."""
    config = Config()
    config.TagRemovePreprocessor.enabled = True
    config.TagRemovePreprocessor.remove_input_tags = {"shown"}
    config.SlidesExporter.exclude_input_prompt = True
    config.SlidesExporter.exclude_output_prompt = True
    config.SlidesExporter.exclude_anchor_links = True
    exporter = SlidesExporter(
        config=config, extra_template_basedirs=[str(TEMPLATE.parent)], template_name="template"
    )
    inside = {
        "css": [_reveal("dist/reset.css"), _reveal("dist/reveal.css"), _own("slides.css")],
        "js": [_reveal("dist/reveal.js"), _reveal("plugin/notes/notes.js"), _own("fit.js")],
        "title": title,
    }
    html, _ = exporter.from_notebook_node(slides, {"talk": inside})
    return html


def _reveal(name):
    # a closing tag within a script would end it
    return (REVEAL / name).read_text(encoding="utf-8").replace("</script", "<\\/script")


def _own(name):
    return (TEMPLATE / name).read_text(encoding="utf-8")

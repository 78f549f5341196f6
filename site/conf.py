"""How Sphinx makes the site of the pages in _build/pages, which `python3 course.py site` writes."""

import tomllib
from pathlib import Path

_PYPROJECT = Path(__file__).resolve().parents[1] / "pyproject.toml"

project = "Asynchronous Python"
version = tomllib.loads(_PYPROJECT.read_text(encoding="utf-8"))["project"]["version"]
author = "the authors of the course"
copyright = "the authors of the course; text and pictures: CC BY 4.0, code: BSD-3-Clause"
language = "en"

extensions = ["myst_nb", "helpers.upkeep.site.sphinx_hooks"]
exclude_patterns = ["*.txt"]  # parts of the first page

# Notebooks come with their outputs.
nb_execution_mode = "off"
nb_merge_streams = True
nb_ipywidgets_js = {}  # else scripts from elsewhere, for widgets that nobody answers
myst_heading_anchors = 4
myst_heading_slug_func = "helpers.upkeep.site.sphinx_hooks.anchor"
suppress_warnings = ["mystnb.unknown_mime_type", "epub.unknown_project_files"]

html_theme = "sphinx_book_theme"
html_title = "Asynchronous Python"
html_static_path = ["static"]
html_css_files = ["course.css"]
html_js_files = [("keys.js", {"priority": 100})]  # before Sphinx's own, which turn the pages
html_sidebars = {"**": ["search-button-field", "sbt-sidebar-nav"]}
html_copy_source = False
html_theme_options = {
    "home_page_in_toc": True,
    "navigation_with_keys": True,
    "use_download_button": False,
    "use_fullscreen_button": False,
    "navbar_persistent": [],  # a second field for the search
    "primary_sidebar_end": [],  # advertisements of those who host pages
    "show_toc_level": 2,
    "search_bar_text": "Search the course ...",
}

epub_title = "Asynchronous Python, from a paused function to an event loop"
epub_description = "An interactive course: generators, an event loop by hand, asyncio, servers."
epub_basename = "asynchronous-python"
epub_show_urls = "no"
epub_css_files = ["course.css"]
epub_exclude_files = ["search.html"]
epub_tocdup = False
epub_use_index = False

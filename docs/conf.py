"""How Sphinx builds these pages: MyST Markdown, Furo, and nothing fetched from the network."""

from __future__ import annotations

from importlib.metadata import version as installed_version

project = "Roundbook"
author = "The Roundbook authors"
project_copyright = "The Roundbook authors"
release = version = installed_version("roundbook")

extensions = ["myst_parser"]
myst_heading_anchors = 3
exclude_patterns = ["_build"]
language = "en_GB"

html_theme = "furo"
html_title = f"Roundbook {release}"
html_static_path = ["_static"]
html_show_sphinx = False
# The pages stand on their own: no source view, no link that needs a network.
html_show_sourcelink = False
html_copy_source = False

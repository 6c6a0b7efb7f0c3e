"""How Sphinx builds these pages: MyST Markdown, Furo, and nothing fetched from the network."""

from __future__ import annotations

from importlib.metadata import version as installed_version

project = "Roundbook"
author = "The Roundbook authors"
project_copyright = "The Roundbook authors"
release = version = installed_version("roundbook")

extensions = ["myst_nb"]
myst_heading_anchors = 3
# Notebooks are run anew at every build, and one that fails is a warning, which fails the build.
nb_execution_mode = "force"
nb_execution_timeout = 300
nb_merge_streams = True
nb_ipywidgets_js = {}
exclude_patterns = ["_build"]
language = "en_GB"

html_theme = "furo"
html_title = f"Roundbook {release}"
html_static_path = ["_static"]
html_show_sphinx = False
# The pages stand on their own: no source view, no link that needs a network.
html_show_sourcelink = False
html_copy_source = False

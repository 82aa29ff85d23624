"""The documentation as a site: `make site` builds it into build/site. It can be read and searched from disk."""

import os
import sys

sys.path.insert(0, os.path.abspath("../src"))

from voile.version import __version__ as release  # noqa: E402, F401

project = "voile"
author = "voile contributors"
copyright = "voile contributors, under the Apache License 2.0"  # Sphinx shows this name at the end of every page
extensions = ["myst_nb", "sphinx.ext.autodoc"]
exclude_patterns = ["README.md"]

# notebooks are shown with the outputs that tests/notebooks compares with a run
nb_execution_mode = "off"
myst_heading_anchors = 4
myst_enable_extensions = ["colon_fence"]

# docstrings use single backticks for code, as Markdown does
default_role = "code"
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_typehints_format = "short"
python_maximum_signature_line_length = 100

html_theme = "furo"
html_title = "voile"
html_static_path = ["site.css"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sphinx = False


def setup(app):  # type: ignore[no-untyped-def]
    """Show tables of comma-separated values as plain text."""
    from pygments.lexers.special import TextLexer

    app.add_lexer("csv", TextLexer)

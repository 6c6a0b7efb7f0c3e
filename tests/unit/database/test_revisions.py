"""The schema's revisions by the files of the migrations, held to what Alembic says of them."""

from __future__ import annotations

import subprocess
import sys

import pytest
from alembic.script import ScriptDirectory

from roundbook.database.schema import (
    EXPECTED_REVISION,
    REVISIONS,
    alembic_config,
    require_known,
)
from roundbook.errors import SchemaOutOfDateError


def test_the_revisions_are_those_that_alembic_finds():
    script = ScriptDirectory.from_config(alembic_config())
    assert script.get_current_head() == EXPECTED_REVISION
    assert [entry.revision for entry in script.walk_revisions()][::-1] == REVISIONS


def test_a_later_revision_is_not_known():
    require_known("0001")
    require_known(None)
    require_known(EXPECTED_REVISION)
    with pytest.raises(SchemaOutOfDateError, match="later Roundbook"):
        require_known("9999")


def test_a_command_on_a_server_imports_little():
    """Alembic is for upgrades, NumPy for scores, psutil for the embedded server."""
    code = (
        "import sys, roundbook.logbook.session, roundbook.logbook.tasks\n"
        "import roundbook.database.schema as schema\n"
        "assert schema.EXPECTED_REVISION in schema.REVISIONS\n"
        "sys.exit(str({'alembic', 'numpy', 'psutil'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], check=False, capture_output=True, text=True)
    assert done.stderr == "set()\n"

"""The schema's revisions by the files of the migrations, held to what Alembic says of them."""

from __future__ import annotations

import subprocess
import sys

import pytest
from alembic.script import ScriptDirectory

from roundbook.database.schema import (
    alembic_config,
    expected_revision,
    is_known,
    known_revisions,
    require_known,
)
from roundbook.errors import SchemaOutOfDateError


def test_the_revisions_are_those_that_alembic_finds():
    script = ScriptDirectory.from_config(alembic_config())
    assert expected_revision() == script.get_current_head()
    assert list(known_revisions()) == [each.revision for each in script.walk_revisions()][::-1]


def test_a_later_revision_is_not_known():
    assert is_known("0001")
    assert not is_known("9999")
    require_known(None)
    require_known(expected_revision())
    with pytest.raises(SchemaOutOfDateError, match="later Roundbook"):
        require_known("9999")


def test_the_version_is_read_without_alembic():
    code = (
        "import sys, roundbook.database.schema as schema\n"
        "schema.expected_revision(), schema.is_known('0001')\n"
        "sys.exit('alembic' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0

"""Database addresses: what is wrong with one is told without any of its password."""

from __future__ import annotations

import pytest

from roundbook.database.engine import parse_url
from roundbook.errors import InputError


@pytest.mark.parametrize(
    "address",
    [
        "postgresql://user:SECRET@HIDDEN@host/db",
        "postgresql://user:SECRET@/HIDDEN@host/db",
        "postgresql://user:SECRET@HIDDEN?x@host/db",
        "postgresql://user:5/HIDDEN/SECRET",
        "postgresql://user:5/SECRET:1/db",
        "postgresql://SECRET/HIDDEN@host:1/db",
        "postgresql://host:1/db?password=SECRET@HIDDEN",
        "postgresql://user:SECRET@host:HIDDEN/db",
        "postgresql:/user:SECRET@host/db",
        "host=localhost password=SECRET",
        "mysql://user:SECRET@host/db",
        "postgresql://user:SECRET@[::1/db",
    ],
)
def test_no_part_of_a_password_is_told(address):
    with pytest.raises(InputError) as caught:
        parse_url(address)
    assert "SECRET" not in str(caught.value)
    assert "HIDDEN" not in str(caught.value)
    assert str(caught.value).startswith(("The database address", "Roundbook keeps its record"))


@pytest.mark.parametrize(
    ("address", "password"),
    [
        ("postgresql://user:a%40b%2Fc%3Fd%3D@host:5433/db", "a@b/c?d="),
        ("postgresql://user:a/b@host/db", "a/b"),
        ("postgresql://user:a?b:c@host/db?sslmode=require", "a?b:c"),
        ("postgresql://user:@/db?host=/home/me@here/socket", ""),
        ("postgresql://host/db?host=/home/me@here", None),
    ],
)
def test_an_address_that_can_be_taken_apart(address, password):
    url = parse_url(address)
    assert (url.database, url.password) == ("db", password)

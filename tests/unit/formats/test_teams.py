import pytest

from roundbook.errors import BadFileError
from roundbook.formats import RunTeam, read_teams


def read(tmp_path, content):
    path = tmp_path / "teams.csv"
    path.write_text(content, encoding="utf-8")
    return read_teams(path)


def test_all_columns(tmp_path):
    teams = read(
        tmp_path,
        "run,team,type,contributed_to_pool,system\n"
        "a,RUIR,manual,yes,\nb,ruir,,FALSE,bm25\nc,x,automatic,1,\nd,x,,0,\ne,x,,,\n",
    )
    assert teams["a"] == RunTeam("a", "RUIR", "manual", True, None)
    assert teams["b"] == RunTeam("b", "ruir", None, False, "bm25")
    assert [team.contributed_to_pool for team in teams.values()] == [True, False, True, False, None]


def test_header_aliases_and_optional_columns(tmp_path):
    teams = read(tmp_path, "Group\tNote\tRun-Tag\nX\thi\ta,b\n")
    assert teams == {"a,b": RunTeam("a,b", "X", None, None, None)}


@pytest.mark.parametrize(
    ("content", "reason", "position"),
    [
        ("run,type\na,b\n", "needs a column 'team'; this one has 'run', 'type'", (1, None)),
        ("Lauf;team\na;b\n", "needs a column 'run'; this one has 'Lauf', 'team'", (1, None)),
        ("topic,a,b,c,d,e,f\n", "; this one has 'topic', 'a', 'b', 'c', 'd' and 2 more", (1, None)),
        ("run,team\na,x\nb,x\na,y\n", "the run a is already on line 2", (4, 1)),
        ("run,team\na,\n", "the team name is empty", (2, 2)),
        ("run,team,pooled\na,x,maybe\n", "'maybe' does not say whether", (2, 3)),
        ("run,team\n", "nothing below it", (1, None)),
        ("run,tag,team\na,b,c\n", "'run' and 'tag' could be meant", (1, 2)),
    ],
)
def test_what_is_not_a_team_file(tmp_path, content, reason, position):
    with pytest.raises(BadFileError) as caught:
        read(tmp_path, content)
    assert reason in caught.value.reason
    assert (caught.value.line, caught.value.column) == position


@pytest.mark.parametrize(
    "word", ["nan", "NaN", "NA", "na", "n/a", "N/A", "none", "null", "-", "--"]
)
def test_a_word_for_unknown_is_neither_a_team_nor_a_system(tmp_path, word):
    with pytest.raises(BadFileError) as caught:
        read(tmp_path, f"run,team,system\na,RUIR,x\nb, {word} ,x\n")
    assert caught.value.reason == f"{word!r} is no team; leave out the runs whose team is unknown"
    assert (caught.value.line, caught.value.column) == (3, 2)
    with pytest.raises(BadFileError) as caught:
        read(tmp_path, f"run,system,team\na,,RUIR\nb,{word},RUIR\n")
    reason = f"{word!r} is no system; leave the cell empty where it is unknown"
    assert caught.value.reason == reason
    assert (caught.value.line, caught.value.column) == (3, 2)


def test_names_that_hold_such_a_word_are_names(tmp_path):
    teams = read(tmp_path, "run,team,system\nnan,NANJING,none-1\nnull,na1,x-\n")
    assert [(t.run, t.team, t.system) for t in teams.values()] == [
        ("nan", "NANJING", "none-1"),
        ("null", "na1", "x-"),
    ]


def test_trec_covid_teams(shared):
    folder = shared / "data" / "treccovid"
    first, second = (read_teams(folder / f"round{n}_run_team.csv") for n in (1, 2))
    assert (len(first), len(second)) == (143, 136)
    assert first["run1"] == RunTeam("run1", "GUIR_S2", "manual", True, None)
    assert first["run1"].team != second["run1"].team
    assert first["BBGhelani1"].contributed_to_pool is False

"""The cells of the tables of variances, with their references."""

from __future__ import annotations

from dataclasses import replace

from tests.coverage.variance_simulation import NextRoundCell, PooledCell, VarianceCell


def _variance_cells(name, field_, units, references, *, of="one_way", slack=0.0):
    """A row of the table: by topics, coverage of chi-square, bootstrap (above) and new (above)."""
    names = ("chi", "boot", "boot above", "new", "new above")
    for topics, printed in references.items():
        values = [float(value) for value in printed.split()]
        reference = dict(zip(names[-len(values) :], values, strict=True))
        yield VarianceCell(f"{name}, n={topics}", field_, units, topics, reference, of, slack)


ROBUST, NTCIR = "adhoc/trec_robust2003_ap", "ntcir7_ir4qa/ntcir7ir4qa_q1000"

VARIANCE_CELLS = (
    *_variance_cells(
        "Gauss rho=.7, 30 runs",
        "gauss .7",
        30,
        {
            10: ".40 .76 .24 .95 .04",
            25: ".37 .87 .13 .95 .03",
            50: ".38 .91 .07 .95 .03",
            100: ".36 .91 .08 .95 .03",
        },
    ),
    *_variance_cells(
        "NTCIR-7 Q, 20 runs",
        NTCIR,
        20,
        {10: ".62 .82 .18 .98 .01", 25: ".60 .87 .12 .96 .02", 50: ".60 .88 .10 .97 .01"},
    ),
    *_variance_cells(
        "Robust 2003 AP, 30 runs*",
        ROBUST,
        30,
        {10: ".93 .05", 25: ".93 .05", 50: ".96 .01", 100: ".97 .01"},
        slack=0.03,
    ),
    *_variance_cells(
        "adhoc 7 P@10, 30 runs*",
        "adhoc/trec_adhoc7_p10",
        30,
        {10: ".97 .02", 25: ".96 .03", 50: ".96 .03"},
        slack=0.03,
    ),
    *_variance_cells(
        "COVID 1 nDCG@10, 15 teams*",
        "treccovid/1 teams",
        15,
        {10: ".96 .03", 25: ".95 .03", 50: ".96 .01"},
        slack=0.03,
    ),
    # Of so few teams, what teams add is too uncertain; the output says so.
    *(
        VarianceCell(
            f"COVID 1 nDCG@10, {teams} teams, n=30",
            "treccovid/1 teams",
            teams,
            30,
            {"new": covered},
        )
        for teams, covered in ((2, 0.865), (3, 0.87), (5, 0.892))
    ),
    *(
        VarianceCell(f"{name}, {runs} runs, n=50", field_, runs, 50, {"new": covered})
        for name, field_, coverages in (
            ("Robust 2003 AP", ROBUST, (0.93, 0.94, 0.948)),
            ("web 2012 nDCG@20", "web/trec_web2012_ndcg20", (0.785, 0.85, 0.913)),
        )
        for runs, covered in zip((2, 3, 5), coverages, strict=True)
    ),
    *_variance_cells(
        "V_2: Robust 2003 AP, 30 runs*",
        ROBUST,
        30,
        {10: ".95 .05", 25: ".94 .06", 50: ".95 .05"},
        of="two_way",
        slack=0.03,
    ),
)


def _pooled_cells(name, field_, rounds, references, *, units=30, of="one_way"):
    """A row of the table: by shared topics, coverage of the interval and size of the test."""
    for shared, printed in references.items():
        covered, rejected = map(float, printed.split())
        yield PooledCell(
            f"{name}, {shared} shared",
            field_,
            (units,) * rounds,
            (50,) * rounds,
            shared,
            {"new": covered, "test": rejected},
            of,
            slack=0.03,
        )


POOLED_CELLS = (
    *_pooled_cells("Robust 2003 AP, K=2*", ROBUST, 2, {0: ".97 .06", 30: ".95 .02", 50: ".94 .02"}),
    *_pooled_cells("Robust 2003 AP, K=3*", ROBUST, 3, {0: ".94 .04", 30: ".95 .02", 50: ".95 .01"}),
    *_pooled_cells("Robust 2003 AP, K=5*", ROBUST, 5, {0: ".95 .04", 30: ".94 .02", 50: ".94 .01"}),
    *_pooled_cells(
        "COVID 1, 15 teams, K=3*",
        "treccovid/1 teams",
        3,
        {0: ".98 .03", 30: ".96 .03", 50: ".96 .03"},
        units=15,
    ),
    *_pooled_cells(
        "V_2: Robust 2003 AP, K=3*",
        ROBUST,
        3,
        {0: ".94 .05", 30: ".94 .02", 50: ".93 .02"},
        of="two_way",
    ),
    PooledCell(
        "COVID 1 teams, 30-35-40 nested*",
        "treccovid/1 teams",
        (15, 15, 15),
        (30, 35, 40),
        40,
        {"new": 0.95, "test": 0.01},
        slack=0.03,
    ),
    # The interval counts the same teams in every round as other teams each time; the output says
    # so, and gives that for returning teams.
    *(
        PooledCell(
            f"COVID 1, same {teams} teams, K={rounds}",
            "treccovid/1 teams",
            (teams,) * rounds,
            (50,) * rounds,
            0,
            {"new": covered, "returning": returning},
            returning=True,
        )
        for teams, rounds, covered, returning in (
            (10, 3, 0.77, 0.87),
            (10, 5, 0.67, 0.88),
            (20, 5, 0.77, 0.95),
        )
    ),
)


def _next_round_cells():
    """By the sd of ln V between rounds and their number: u80 and u95 passed, interval, test."""
    references = {
        (0.0, 1): ".06 .00", (0.0, 3): ".07 .00", (0.0, 5): ".05 .00",
        (0.126, 1): ".19 .03 .88", (0.126, 3): ".17 .02 .90", (0.126, 5): ".18 .06 .90",
        (0.25, 1): ".28 .13 .735", (0.25, 2): "", (0.25, 3): ".24 .10 .735 .39",
        (0.25, 5): ".21 .10 .735",
        (0.4, 1): ".35 .22 .55", (0.4, 3): ".25 .13 .55", (0.4, 5): ".20 .09 .55",
    }  # fmt: skip
    names = ("u80 passed", "u95 passed", "interval", "test")
    for (between, rounds), printed in references.items():
        yield _next_round_cell(
            f"Gauss, 20 runs*, sd {between:g}, K={rounds}",
            "gauss robust",
            20,
            rounds,
            between,
            dict(zip(names, map(float, printed.split()), strict=False)),
        )
    for name, field_ in (("Robust 2003 AP", ROBUST), ("NTCIR-7 Q", NTCIR)):
        for between in (0.126, 0.25):
            yield _next_round_cell(
                f"{name}, 20 runs, sd {between:g}, K=3", field_, 20, 3, between, {}
            )
    for teams, printed in {8: ".26 .07", 5: ".29 .08"}.items():
        yield _next_round_cell(
            f"V_2: COVID 1, {teams} teams*, sd 0.126, K=3",
            "treccovid/1 teams",
            teams,
            3,
            0.126,
            dict(zip(names, map(float, printed.split()), strict=False)),
            of="two_way",
        )
    yield _next_round_cell(
        "V_2: Gauss, 8 teams of 4, sd 0.126, K=3", "gauss covid 4", 8, 3, 0.126, {}, of="two_way"
    )

    for of, references in (
        ("one_way", (".250 .098", ".213 .095")),
        ("two_way", (".307 .110", ".257 .083")),
    ):
        for (teams, kept), printed in zip(((10, 7), (20, 14)), references, strict=True):
            yield replace(
                _next_round_cell(
                    f"{'V_2: ' if of == 'two_way' else ''}COVID 1, {teams} teams, {kept} stay, sd 0.126, K=5",
                    "treccovid/1 teams",
                    teams,
                    5,
                    0.126,
                    dict(zip(names, map(float, printed.split()), strict=False)),
                    of=of,
                ),
                kept=kept,
            )


def _next_round_cell(name, field_, units, rounds, between, reference, *, of="one_way"):
    return NextRoundCell(name, field_, units, 50, rounds, between, reference, of, 0.03)


NEXT_ROUND_CELLS = tuple(_next_round_cells())

# How often the test finds a last round whose true variance is another.
UNEQUAL_CELLS = tuple(
    PooledCell(
        f"Robust 2003 AP, ratio {ratio:g}, {shared} shared",
        ROBUST,
        (30, 30),
        (50, 50),
        shared,
        ratio=ratio,
    )
    for ratio in (1.5, 2.0)
    for shared in (0, 30, 50)
)


def _uneven_cell(name, field_, units, topics, covered, of):
    name = f"V_2: {name}" if of == "two_way" else name
    return VarianceCell(
        f"{name}, {units} runs, n={topics}",
        field_,
        units,
        topics,
        {"new": covered},
        of,
        slack=0.03,
        old_rules=False,
    )


# Where runs, topics or scores are of the awkward kind. The references are the figures of another
# simulation.
UNEVEN_VARIANCE_CELLS = tuple(
    _uneven_cell(name, field_, units, topics, covered, of)
    for name, field_, of, coverages in (
        ("runs' sds .5*", "runs' sds .5", "one_way", {(10, 30): 0.93, (30, 50): 0.94}),
        ("runs' sds .5*", "runs' sds .5", "two_way", {(10, 30): 0.85, (30, 50): 0.89}),
        ("lognormal*", "lognormal", "one_way", {(30, 10): 0.88, (30, 30): 0.88, (30, 100): 0.88}),
        (
            "lognormal*",
            "lognormal",
            "two_way",
            {(30, 10): 0.915, (30, 30): 0.915, (30, 100): 0.915},
        ),
        ("Gauss rho=.7*", "gauss .7", "two_way", {(30, 10): 0.985}),
        ("P@5 of .2*", "hits", "two_way", {(30, 10): 0.985}),
    )
    for (units, topics), covered in coverages.items()
)

PUBLISHED_CELLS = tuple(
    VarianceCell(
        f"{name}, as {family}, 20 runs, n=50",
        field_,
        20,
        50,
        reference,
        slack=0.03,
        published=family,
        old_rules=False,
    )
    for name, field_, family, reference in (
        ("Robust 2003 AP", ROBUST, "AP", {}),
        ("adhoc 7 P@10", "adhoc/trec_adhoc7_p10", "P", {}),
        ("COVID 1 nDCG@10", "treccovid/1 runs", "nDCG", {}),
        ("NTCIR-7 Q", NTCIR, "Q", {}),
        ("P@5 of .2*", "hits", "P", {"new": 0.875}),
    )
)

# The test of rounds of one true variance, where runs spread differently or rounds differ in size.
UNEVEN_ROUNDS_CELLS = (
    *(
        PooledCell(
            f"{'V_2: ' if of == 'two_way' else ''}runs' sds .4*, {units} runs, K={rounds}",
            "runs' sds .4",
            (units,) * rounds,
            (50,) * rounds,
            0,
            {"test": size},
            of,
            slack=0.03,
        )
        for of, size in (("one_way", 0.08), ("two_way", 0.105))
        for units in (5, 10)
        for rounds in (2, 3)
    ),
    PooledCell(
        "V_2: Gauss rho=.7*, 30-4-60 runs, n=50-10-25",
        "gauss .7",
        (30, 4, 60),
        (50, 10, 25),
        0,
        {"test": 0.09},
        "two_way",
        slack=0.03,
    ),
)

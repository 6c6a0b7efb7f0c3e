"""The cells of the tables of variances, with their references."""

from __future__ import annotations

from tests.coverage.variance_simulation import PooledCell, VarianceCell


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

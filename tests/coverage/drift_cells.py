"""The cells of the drift tables, with their references."""

from __future__ import annotations

from dataclasses import replace

from tests.coverage.drift_simulation import SHIFTS, DriftCell

RATIOS = (1.1, 1.25, 1.5)
# Where teams come again their scores are not the very same. The references had some noise too: with
# this much the widths are theirs.
NOISE = 0.3


def _reference(shift, ratio, rates, old):
    """A row as it is printed: coverage and width, held/aged in percent, the old rule's."""
    names = ("shift .95", "shift .90", "shift width", "ratio .95", "ratio .90", "ratio width")
    reference = dict(zip(names, (*shift, *ratio), strict=True))
    for value, pair in zip(SHIFTS, rates.split(), strict=True):
        reference |= _percents("{}", value, pair)
    coverage, unmoved, moved = old.split()
    return (
        reference
        | {"old .95": float(coverage)}
        | _percents("old {}", 0, unmoved)
        | _percents("old {}", 0.3, moved)
    )


def _percents(name, shift, pair):
    held, aged = pair.split("/")
    return {
        f"{name.format('held')}@{shift:g}": int(held) / 100,
        f"{name.format('aged')}@{shift:g}": int(aged) / 100,
    }


COVID1, COVID2 = "treccovid/1 teams", "treccovid/2 teams"

DRIFT_CELLS = (
    DriftCell(
        "C3 COVID 1, 15/15 teams",
        COVID1,
        (15, 15),
        30,
        _reference(
            (0.959, 0.915, 1.15), (0.963, 0.933, 0.47), "0/1 0/1 0/2 0/4 0/16", ".24 35/34 18/55"
        ),
    ),
    DriftCell(
        "C4 COVID 1, 40/15 teams",
        COVID1,
        (40, 15),
        30,
        _reference(
            (0.959, 0.917, 0.92), (0.945, 0.902, 0.38), "0/0 0/1 0/2 0/7 0/25", ".23 48/19 21/58"
        ),
    ),
    DriftCell(
        "C5 COVID 2, 30/30 teams",
        COVID2,
        (30, 30),
        35,
        _reference(
            (0.962, 0.914, 0.68), (0.948, 0.900, 0.34), "0/0 0/0 0/2 0/9 0/44", ".29 62/10 18/61"
        ),
    ),
    DriftCell(
        "C6 COVID 2, same 20/20*",
        COVID2,
        (20, 20),
        35,
        _reference(
            (0.964, 0.917, 0.05),
            (0.970, 0.938, 0.05),
            "100/0 100/0 4/2 0/99 0/100",
            ".95 100/0 0/100",
        ),
        shared=20,
        noise=NOISE,
    ),
    DriftCell(
        "C7 COVID 2, 15/15, 10 same*",
        COVID2,
        (15, 15),
        35,
        _reference(
            (0.987, 0.948, 0.60), (0.985, 0.957, 0.30), "6/0 2/0 0/1 0/8 0/54", ".32 76/6 11/69"
        ),
        shared=10,
        noise=NOISE,
    ),
    DriftCell(
        "P1 adhoc 7 P@10, 30/30 runs",
        "adhoc/trec_adhoc7_p10",
        (30, 30),
        50,
        _reference(
            (0.950, 0.907, 0.63), (0.972, 0.932, 0.34), "0/0 0/0 0/2 0/8 0/43", ".33 62/10 15/61"
        ),
    ),
    DriftCell(
        "K1 COVID 1, 15/15 hidden",
        COVID1,
        (15, 15),
        30,
        _reference(
            (0.962, 0.906, 1.20), (0.977, 0.937, 0.48), "0/0 0/1 0/2 0/4 0/14", ".24 35/34 18/55"
        ),
        known="kin",
    ),
    DriftCell(
        "K3 COVID 2, 30/30 hidden",
        COVID2,
        (30, 30),
        35,
        _reference(
            (0.997, 0.979, 0.95), (0.990, 0.968, 0.46), "0/0 0/0 0/0 0/2 0/20", ".29 62/10 18/61"
        ),
        known="kin",
    ),
    DriftCell(
        "U1 COVID 1, 15/15 by run",
        COVID1,
        (15, 15),
        30,
        _reference(
            (0.761, 0.662, 0.69), (0.855, 0.785, 0.28), "0/6 0/5 0/11 0/19 0/45", ".24 35/34 18/55"
        ),
        known="runs",
    ),
    DriftCell(
        "G1 Gauss, 30/30 runs*",
        "gauss robust",
        (30, 30),
        50,
        _reference(
            (0.948, 0.909, 0.51), (0.955, 0.903, 0.20), "0/0 0/0 0/3 0/12 0/64", ".39 72/3 10/64"
        ),
        slack=0.03,
    ),
    DriftCell(
        "K4 Gauss, 30/30 runs hidden*",
        "gauss robust",
        (30, 30),
        50,
        _reference(
            (0.949, 0.911, 0.51), (0.957, 0.903, 0.20), "1/0 0/0 0/3 0/12 0/64", ".39 72/3 10/64"
        ),
        known="kin",
        slack=0.03,
    ),
    DriftCell(
        "T1 Gauss, 10 teams of 3*",
        "gauss covid 3",
        (10, 10),
        50,
        _reference(
            (0.970, 0.933, 1.30), (0.952, 0.897, 0.59), "0/0 0/1 0/1 0/3 0/15", ".21 25/37 14/61"
        ),
        slack=0.03,
    ),
    DriftCell(
        "T2 Gauss, 5 teams of 4*",
        "gauss covid 4",
        (5, 5),
        50,
        _reference(
            (0.988, 0.943, 2.23), (0.967, 0.935, 0.98), "0/0 0/0 0/1 0/2 0/5", ".24 8/54 7/63"
        ),
        slack=0.03,
    ),
    DriftCell(
        "web 2011 AP, 30/30 runs*",
        "web/trec_web2011_ap",
        (30, 30),
        50,
        {"shift .95": 0.965, "ratio .95": 0.955},
        slack=0.03,
    ),
    DriftCell(
        "NTCIR-7 Q, 30/30 runs*",
        "ntcir7_ir4qa/ntcir7ir4qa_q1000",
        (30, 30),
        50,
        {"shift .95": 0.96, "ratio .95": 0.955},
        slack=0.03,
    ),
    DriftCell(
        "Robust 2003 AP, 30/30 runs*",
        "adhoc/trec_robust2003_ap",
        (30, 30),
        50,
        {"shift .95": 0.95, "ratio .95": 0.95},
        slack=0.03,
    ),
)


def _spread_cells(number, coverage, rates):
    base = DRIFT_CELLS[number]
    for ratio, pair in zip(RATIOS, rates.split(), strict=True):
        reference = {"ratio .95": coverage[0], "ratio .90": coverage[1]}
        yield replace(
            base,
            name=f"{base.name}, ratio {ratio:g}",
            reference=reference | _percents("{}", 0, pair),
            shifts=(0.0,),
            ratio=ratio,
        )


SPREAD_CELLS = (
    *_spread_cells(0, (0.963, 0.910), "0/0 0/2 0/32"),
    *_spread_cells(2, (0.947, 0.893), "0/0 0/2 0/58"),
    *_spread_cells(3, (0.973, 0.937), "100/0 3/1 0/100"),
)

# Where the fields are of the awkward kind. The references are the figures of another simulation.
UNEVEN_FIELD_CELLS = (
    *(
        DriftCell(
            f"a tenth failed*, {runs}/{runs} runs, n=50",
            "failed runs",
            (runs, runs),
            50,
            {"ratio .95": covered},
            shifts=(0.0,),
            slack=0.03,
        )
        for runs, covered in ((10, 0.90), (20, 0.90), (60, 0.95))
    ),
    *(
        DriftCell(
            f"topics' sds 1*, 30/30 runs, n={topics}",
            "topics' sds 1",
            (30, 30),
            topics,
            {"these .95": shift, "these ratio .95": ratio},
            shifts=(0.0,),
            slack=0.03,
        )
        for topics, shift, ratio in ((10, 0.92, 0.87), (50, 0.93, 0.92))
    ),
    *(
        DriftCell(
            f"topics' sds {spread}*, 30/30, n={topics}, shift 1",
            f"topics' sds {spread}",
            (30, 30),
            topics,
            {"shift .95": covered},
            shifts=(1.0,),
            slack=0.03,
            by_as_much=True,
        )
        for spread, topics, covered in ((".8", 10, 0.92), ("1.2", 20, 0.90))
    ),
)

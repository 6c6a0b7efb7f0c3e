"""``make coverage``: by simulation, how often intervals, verdicts and plans keep their promises."""

from __future__ import annotations

import argparse
import math
import multiprocessing
import os
import sys
import time
from collections import defaultdict
from collections.abc import Iterator

from tests.coverage.cells import STANDARD_ERRORS, Cell, Result, Sums, replicate_batch, strays
from tests.coverage.populations import SHARED
from tests.coverage.tables import WIDTH, tables

BATCH = 50

PREFACE = """\
Simulated coverage, {replications} replications a cell: a share of .95 has a standard
error of {error:.3f}. A reference is what an independent program measured, with 600.
* the reference is of another population, or of another noise, alike in kind
C, K, U: TREC-COVID nDCG@10. K: teams hidden, kin groups inferred. U: every run
a unit. C6, C7: an error of .3 of the topic's sd in every score. Gauss: the
components of Robust 2003 AP (G1, K4) and of TREC-COVID round 1 (T1, T2).
"""


def main() -> None:
    """Simulate every cell and print the tables."""
    arguments = _arguments()
    if not SHARED.is_dir():
        sys.exit(f"No shared data in {SHARED}; name its folder in ROUNDBOOK_SHARED.")
    contents = tables()
    # Several tables may show the same cells.
    cells = tuple({cell.name: cell for table in contents for cell in table.cells}.values())
    results = _simulate(cells, arguments.replications, arguments.processes)
    error = math.sqrt(0.95 * 0.05 / arguments.replications)
    lines = [PREFACE.format(replications=arguments.replications, error=error)]
    for table in contents:
        lines += [*table.lines([results[cell.name] for cell in table.cells]), "", ""]
    lines.append(f"Farther than {STANDARD_ERRORS} standard errors from the reference")
    lines.append("-" * WIDTH)
    lines += [line for cell in cells for line in strays(cell, results[cell.name])] or ["none"]
    sys.stdout.write("\n".join(lines) + "\n")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.coverage", description=__doc__)
    parser.add_argument("--replications", type=int, default=600, metavar="N")
    parser.add_argument("--processes", type=int, default=os.cpu_count(), metavar="N")
    return parser.parse_args()


def _simulate(cells: tuple[Cell, ...], replications: int, processes: int) -> dict[str, Result]:
    """Share the replications out to processes; their number changes no result but rounding."""
    # The matrices are small: a thread a process is quickest, and asked for before NumPy starts.
    os.environ["OPENBLAS_NUM_THREADS"] = os.environ["OMP_NUM_THREADS"] = "1"
    batches = [
        (cell, range(start, min(start + BATCH, replications)))
        for cell in cells
        for start in range(0, replications, BATCH)
    ]
    results: dict[str, Result] = {cell.name: defaultdict(Sums) for cell in cells}
    with multiprocessing.get_context("spawn").Pool(processes) as pool:
        for name, result in _with_progress(pool.imap(replicate_batch, batches), len(batches)):
            for quantity, sums in result.items():
                results[name][quantity].add(sums)
    return results


def _with_progress(done: Iterator[tuple[str, Result]], count: int) -> Iterator[tuple[str, Result]]:
    """Say on stderr how far it is and how long it will take, a line for every cell begun."""
    began = time.monotonic()
    previous = None
    for number, (name, result) in enumerate(done, 1):
        yield name, result
        passed = time.monotonic() - began
        if name != previous or number == count:
            left = passed / number * (count - number)
            sys.stderr.write(f"{number / count:5.0%} {left:6.0f} s left  {name}\n")
            sys.stderr.flush()
        previous = name


if __name__ == "__main__":
    main()

"""Statistics on score matrices: pure NumPy and SciPy, one subject a module or package.

Arrays of scores are always ``(topics, runs)``. Nothing here depends on a database or a file; input
for which a statistic does not exist raises :class:`roundbook.errors.ImpossibleStatisticError`.

Modules import SciPy whole: a sub-package, which takes longer than most commands do, is then read
when something is computed with it.
"""

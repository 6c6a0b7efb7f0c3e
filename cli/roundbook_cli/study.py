"""``roundbook study``: what the scores of a round, or of files, bear."""

from __future__ import annotations

import typer

from roundbook_cli.studies import discriminative_power, swap_rate

app = typer.Typer(no_args_is_help=True, help="Studies: what the scores of a round bear.")

app.command("discriminative-power", epilog=discriminative_power.EXAMPLE)(
    discriminative_power.discriminative_power
)
app.command("swap-rate", epilog=swap_rate.EXAMPLE)(swap_rate.swap_rate)

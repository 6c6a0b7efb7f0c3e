"""A group of commands that imports a command's module only when that command is called."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any, ClassVar

import typer
import typer.main
from typer.core import TyperCommand, TyperGroup

if TYPE_CHECKING:
    from typer._click import Command, Context


class LazyCommand(TyperCommand):
    """What help and completion need of a command or group: its name and its line."""

    def __init__(self, name: str, module: str, line: str) -> None:
        super().__init__(name, help=line)
        self.module = module

    def load(self) -> Command:
        """Import the module and return the command itself, or the group."""
        return self.group().commands[str(self.name)]

    def group(self) -> TyperGroup:
        """Import the module and return a group of all that it has."""
        module = import_module(self.module)
        parent = typer.Typer()
        if hasattr(module, "attach"):
            module.attach(parent)
        else:
            parent.add_typer(module.app, name=self.name)
        return typer.main.get_group(parent)


class LazyGroup(TyperGroup):
    """A group that lists its commands without importing them; each is loaded to be called."""

    # The name, in the order of the help: the module, and the line in the help.
    lines: ClassVar[Mapping[str, tuple[str, str]]] = {}

    def __init__(self, **settings: Any) -> None:  # noqa: ANN401
        super().__init__(**settings)
        for name, (module, line) in self.lines.items():
            self.add_command(LazyCommand(name, module, line))

    def resolve_command(
        self, ctx: Context, args: list[str]
    ) -> tuple[str | None, Command | None, list[str]]:
        """Return the name, the command itself and what is left of the words."""
        name, command, rest = super().resolve_command(ctx, args)
        return name, command.load() if isinstance(command, LazyCommand) else command, rest

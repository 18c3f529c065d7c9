"""Evaluation results as tables."""

from __future__ import annotations

import json
from typing import Any

from rich.console import Console
from rich.table import Table

from index.evaluate.peers import s2and, s2and_installed


def print_rows(result: dict[str, Any], console: Console) -> None:
    """Print one row per method, with each interval beside its measure."""
    rows: list[dict[str, Any]] = result["rows"]
    table = Table(
        title=f"{result['task']} on {result['data']}, seed {result['seed']}, {result['questions']} questions"
    )
    names = [name for name in rows[0] if not name.endswith(("_low", "_high"))] if rows else []
    for name in names:
        table.add_column(name, justify="left" if isinstance(rows[0][name], str) else "right")
    for row in rows:
        table.add_row(
            *(_cell(row, name) for name in names), style="bold" if row.get("method") == "labmate" else ""
        )
    console.print(table)


def print_part(part: dict[str, Any], console: Console) -> None:
    """Print what a result says below its table: lists of rows as tables, the rest as JSON."""
    for name, value in part.items():
        if not (isinstance(value, list) and value and isinstance(value[0], dict)):
            console.print(f"{name}: {json.dumps(value)}", highlight=False)
            continue
        table = Table(title=name)
        for column in value[0]:
            table.add_column(column, justify="left" if isinstance(value[0][column], str) else "right")
        for row in value:
            table.add_row(*("" if cell is None else str(cell) for cell in row.values()))
        console.print(table)


def _cell(row: dict[str, Any], name: str) -> str:
    value = row[name]
    if f"{name}_low" in row:
        return f"{value:.3f} [{row[f'{name}_low']:.3f}, {row[f'{name}_high']:.3f}]"
    return f"{value:,}" if isinstance(value, int) else str(value)


def installed_peers() -> dict[str, Any]:
    """The peers that `make peers` has installed, by the name of their row."""
    return {"s2and": s2and} if s2and_installed() else {}

"""Runs the command line: `python -m bot`."""

from bot.cli.main import main

main()

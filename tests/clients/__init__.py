"""Bots of other libraries on the local Discord: what each can do there, for ``make clients``."""

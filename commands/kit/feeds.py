"""The address of a feed with its buttons, as /digest, /list and /library show it."""

from commands.shelf.feeds import feed_view as feed_view

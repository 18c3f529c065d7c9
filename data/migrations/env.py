"""Alembic's entry: migrate on the connection that `data.database.engine` hands over."""

from alembic import context

from data.tables.papers import Base

connection = context.config.attributes.get("connection")
if connection is None:
    raise SystemExit("Labmate migrates its database when it starts; don't run alembic by hand.")
context.configure(connection=connection, target_metadata=Base.metadata, render_as_batch=True)
with context.begin_transaction():
    context.run_migrations()

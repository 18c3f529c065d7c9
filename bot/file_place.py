"""Where the files lie that all processes of an installation share."""

from __future__ import annotations

from bot.settings import Settings
from data.shared_files import SharedFiles, s3_options


def shared_files(settings: Settings) -> SharedFiles:
    """Where all processes of this installation leave files for each other."""
    place = settings.labmate_files or str((settings.labmate_data / "files").absolute())
    if not place.startswith("s3://"):
        return SharedFiles(place, auto_mkdir=True)
    secret = settings.s3_secret_key.get_secret_value() if settings.s3_secret_key else None
    return SharedFiles(place, **s3_options(settings.s3_url, settings.s3_access_key or None, secret))

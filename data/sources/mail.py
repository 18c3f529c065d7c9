"""Sending a short plain mail over SMTP, with a code that proves an address."""

from __future__ import annotations

import asyncio
import smtplib
import ssl
from contextlib import closing, suppress
from dataclasses import dataclass
from email.headerregistry import Address
from email.message import EmailMessage
from email.utils import formatdate, make_msgid
from typing import Literal

from data.sources.http import SourceError

SECONDS = 15.0


@dataclass(frozen=True, slots=True)
class Mailer:
    """A mail server that takes our mail.

    Attributes
    ----------
    security
        ``starttls`` (upgraded before anything else is sent), ``tls`` (from the first byte), or ``none``.
    """

    host: str
    port: int
    sender: str
    user: str = ""
    password: str = ""
    security: Literal["starttls", "tls", "none"] = "starttls"
    context: ssl.SSLContext | None = None

    async def send(self, to: str, subject: str, text: str) -> None:
        """Send a mail.

        Raises
        ------
        SourceError
            Where the server can't be reached, or refuses us or the address.
        """
        try:
            await asyncio.to_thread(self._send, to, subject, text)
        except smtplib.SMTPRecipientsRefused as error:
            raise SourceError("the mail server refuses this address") from error
        except (OSError, smtplib.SMTPException, ValueError) as error:
            raise SourceError(
                f"the mail could not be sent ({type(error).__name__}); try again later"
            ) from error

    def _send(self, to: str, subject: str, text: str) -> None:
        message = EmailMessage()
        message["From"] = self.sender
        message["To"] = Address(addr_spec=to)
        message["Subject"] = subject
        message["Date"] = formatdate()
        message["Message-ID"] = make_msgid(domain=self.sender.rpartition("@")[2].strip(">") or None)
        message["Auto-Submitted"] = "auto-generated"
        message.set_content(text)
        context = self.context or ssl.create_default_context()
        if self.security == "tls":
            server: smtplib.SMTP = smtplib.SMTP_SSL(self.host, self.port, timeout=SECONDS, context=context)
        else:
            server = smtplib.SMTP(self.host, self.port, timeout=SECONDS)
        with closing(server):  # no QUIT to a server that broke off: we would wait for it
            if self.security == "starttls":
                server.starttls(context=context)
            if self.user:
                server.login(self.user, self.password)
            server.send_message(message)
            with suppress(OSError, smtplib.SMTPException):  # the server already has the mail
                server.quit()

"""A mail server on loopback that wants TLS and a password, as a university's does."""

from aiosmtpd.smtp import AuthResult


class Post:
    """Keeps what it is sent; refuses one address, as servers do."""

    def __init__(self):
        self.mails = []

    async def handle_RCPT(self, server, session, envelope, address, options):
        if address.startswith("nobody@"):
            return "550 no such user"
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server, session, envelope):
        self.mails.append((envelope.rcpt_tos, envelope.content.decode(), session.ssl is not None))
        return "250 OK"


def authenticates(server, session, envelope, mechanism, data):
    return AuthResult(success=(data.login, data.password) == (b"labmate", b"secret"))

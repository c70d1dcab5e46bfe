"""In place of Python's `ssl` inside the executable `renga`.

The board speaks plain HTTP to this machine's browser. The server's libraries name these and use them for encrypted
connections only; OpenSSL, its megabytes and its security fixes stay out of the package.
"""

PROTOCOL_TLS_SERVER = 17
CERT_NONE = 0


class SSLContext:
    """Never made."""


class SSLSocket:
    """Never made."""


class SSLWantReadError(OSError):
    """Never raised."""


class SSLSyscallError(OSError):
    """Never raised."""

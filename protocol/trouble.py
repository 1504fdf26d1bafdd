"""Why something could not be reached, in words for a person."""

from __future__ import annotations

import ssl
from typing import Final

from websockets.exceptions import InvalidMessage

# Of OpenSSL, for an answer that is no TLS: a record it does not know, or an end, which has a class
# of its own where the library itself sees it.
_NOT_TLS: Final = ("WRONG_VERSION_NUMBER", "UNEXPECTED_EOF_WHILE_READING", "RECORD_LAYER_FAILURE")
_ENDS: Final = (ssl.SSLEOFError, ssl.SSLZeroReturnError)


def why(error: BaseException) -> str:
    """What was the matter, without the numbers and brackets that errors are written with."""
    inner = getattr(error, "reason", None)  # of urllib's
    if isinstance(inner, BaseException):
        return why(inner)
    if (failure := tls_failure(error)) is not None:
        return f"TLS failed: {_of_tls(failure)}"
    if isinstance(error, InvalidMessage):
        return "what answers there is not HTTP; a server with TLS is reached with wss://"
    if isinstance(error, OSError) and error.strerror and not inner:
        return error.strerror[:1].lower() + error.strerror[1:]
    return str(error) or type(error).__name__


def tls_failure(error: BaseException) -> ssl.SSLError | None:
    """The failure of TLS that an error is, or tells of in other words."""
    for one in (error, error.__cause__):
        if isinstance(one, ssl.SSLError):
            return one
    return None


def _of_tls(failure: ssl.SSLError) -> str:
    if isinstance(failure, ssl.SSLCertVerificationError):
        return (
            f"the certificate is not trusted ({failure.verify_message.rstrip('.')});"
            " SSL_CERT_FILE can name the authority to trust"
        )
    reason = failure.reason or ""
    if reason in _NOT_TLS or isinstance(failure, _ENDS):
        return "what answers there does not speak it"
    return reason.replace("_", " ").lower() or str(failure)

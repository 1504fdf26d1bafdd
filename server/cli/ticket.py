"""`phylactery ticket`: a signed ticket on standard output."""

from __future__ import annotations

import msgspec

from server.cli.output import AT_FAULT, complain, write_out
from server.tickets import UnfitKey, make_ticket, read_claims


def ticket(
    secret: str,
    *,
    player: str,
    name: str | None,
    room: str | None,
    role: str | None,
    minutes: float,
) -> int:
    """Prints the ticket; gives the exit status."""
    try:
        text = make_ticket(secret, read_claims(player, name, room, role), minutes)
    except UnfitKey as unfit:
        complain(f"--secret: {unfit}")
        return AT_FAULT
    except msgspec.ValidationError as error:
        what, _, where = str(error).partition(" - at `$.")
        complain(f"--{where.rstrip('`')}: {what}")
        return AT_FAULT
    return write_out(f"{text}\n".encode())

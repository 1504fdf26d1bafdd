"""The commands that need no server, but to fetch a replay: battles, odds, replays, tickets."""

from __future__ import annotations

from server.cli import odds_options as counting
from server.cli import options
from server.cli import replay_options as replaying


def battle(file: options.BattleFile) -> int:
    """Fight one battle from a file and write its log, one JSON object a line.

    Same file, same log, byte for byte, everywhere. If the file is not a legal battle, nothing is
    written, every fault stands on standard error with its path, and the exit status is 2.
    """
    from server.cli.battle import battle

    return battle(file)


def odds(
    boards: counting.Boards = None,
    change: counting.Change = None,
    battles: counting.Battles = 0,
    seed: counting.Seed = "odds",
    processes: counting.Processes = 0,
    as_json: counting.AsJson = False,
    battle: counting.Battle = None,
) -> int:
    """Fight boards against each other a thousand times, and say how often each wins.

    Two boards: also what each unit does. One: against each sample board. None: the sample boards
    among themselves. With a change of cards or rules: what it does to all of that, and how far off
    that may be.

    The same seed fights the same battles, whoever fights them; those of an odd number have the
    seats changed.
    """
    from server.odds.command import Wishes
    from server.odds.command import odds as fought

    return fought(boards or [], Wishes(battles, seed, change, processes, as_json, battle))


def balance(
    change: counting.Change = None,
    battles: counting.Battles = 0,
    seed: counting.Seed = "odds",
    processes: counting.Processes = 0,
    as_json: counting.AsJson = False,
) -> int:
    """Fight boards drawn at random from the catalog, and say how often they win with each card.

    And with each rune. All boards have six units, and any cards that can be paid for together are
    as likely as any others, so what stands out does so whatever stands beside it. With a change,
    the boards are the same wherever nothing of it stands.
    """
    from server.odds.command import Wishes
    from server.odds.command import balance as weighed

    return weighed(Wishes(battles, seed, change, processes, as_json))


def verify(replay: replaying.Place, server: replaying.Server = options.DEFAULT_SERVER) -> int:
    """Check a replay: the commitment, the seed, and then the whole battle, fought again.

    The exit status is 0 if all of it holds, 1 if something does not, 2 if no replay is to be had
    or it is of a format that is not known here, and 3 if the battle was fought under other rules or
    cards than this installation has, so that it cannot be fought again here.
    """
    from server.cli.verify import verify

    return verify(replay, server)


def replay(
    replay: replaying.Place,
    server: replaying.Server = options.DEFAULT_SERVER,
    speed: replaying.Speed = 1.0,
    from_seconds: replaying.FromSeconds = 0.0,
) -> int:
    """Play a battle that is over, and say whether its replay holds.

    It is shown as watch shows one that is fought, at its own speed. When the output is no terminal,
    everything is printed at once. It plays from what was recorded, whatever rules and cards there
    are by now.

    The exit status is that of verify, and 2 also where the log is none that a battle leaves.
    """
    from server.cli.replay import replay as shown

    return shown(replay, speed=speed, from_seconds=from_seconds, server=server)


def ticket(
    player: options.TicketPlayer,
    secret: options.TicketSecret,
    name: options.TicketName = None,
    room: options.TicketRoom = None,
    role: options.TicketRole = None,
    minutes: options.TicketMinutes = 60,
) -> int:
    """Print a ticket for a server that asks for one; for tests and for inviting by hand.

    In earnest tickets are made by whoever knows the players, with any JWT library: HS256, and the
    claims player and exp; name, room and role where they are to bind.
    """
    from server.cli.ticket import ticket

    return ticket(secret, player=player, name=name, room=room, role=role, minutes=minutes)


def validate(files: options.ValidateFiles, change: options.ValidateChange = None) -> int:
    """Say what a file is, a board, a battle or a catalog (JSON or TOML), and all that is wrong.

    With a change, boards and catalogs are judged as if its cards, runes and resonances were in the
    base set. A battle is not: it has its own in its file.

    Faults go to standard error, each with file and path; the exit status is then 2.
    """
    from server.cli.battle import validate

    return validate(files, change)

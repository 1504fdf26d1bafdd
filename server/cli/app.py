"""The command line: one short function a command, which is the map of the program.

A command's own module is imported only when it runs, so that none pays for what another needs.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Final, NoReturn

import typer

from server.cli import load_options as loading
from server.cli import odds_options as counting
from server.cli import options, ways
from server.cli import replay_options as replaying
from server.cli import serve_options as serving
from server.cli.helping import Command, Group

app: Final = typer.Typer(
    name="phylactery",
    cls=Group,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog=options.EXAMPLES,
)


def _command(epilog: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Registers a command with its docstring as its help, a line for each paragraph: the terminal
    breaks them where it is as wide as it is.
    """

    def register(command: Callable[..., None]) -> Callable[..., None]:
        @functools.wraps(command)
        def checked(**values: object) -> None:
            options.check_text(values)
            command(**values)

        paragraphs = inspect.cleandoc(command.__doc__ or "").split("\n\n")
        text = "\n\n".join(paragraph.replace("\n", " ") for paragraph in paragraphs)
        return app.command(cls=Command, help=text, epilog=epilog)(checked)

    return register


def _exit(status: int) -> NoReturn:
    raise typer.Exit(status)


def _version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import PackageNotFoundError, version

        from engine import FORM

        try:
            typer.echo(f"phylactery {version('phylactery')}, {FORM} engine")
        except PackageNotFoundError:  # run from its folder
            typer.echo("phylactery (not installed)")
        raise typer.Exit


@app.callback()
def phylactery(
    version: Annotated[
        bool,
        typer.Option(
            "--version",
            metavar=options.FLAG,
            callback=_version,
            is_eager=True,
            help="Print the version.",
        ),
    ] = False,
) -> None:
    """A battle server for an auto-battler: boards of units fight by one rulebook, watched live.

    To see what it is, run [bold]phylactery demo[/bold]: two bots fight before your eyes.
    """


@_command(epilog=options.DEMO_EXAMPLES)
def demo(
    boards: options.DemoBoards = None,
    rounds: options.DemoRounds = 0,
    speed: options.Speed = 1,
    seed: options.DemoSeed = None,
    pace: options.Pace = 1.0,
) -> None:
    """A server, two bots and a live view of their battles, in one process. Ctrl-C ends it.

    The server is a real one: the line it prints says where others can watch. When the output is
    no terminal, each thing that happens is printed as a line.
    """
    from server.cli.demo import demo

    _exit(demo(boards=boards, rounds=rounds, speed=options.speed_of(speed), seed=seed, pace=pace))


@_command(epilog=serving.EXAMPLES)
@serving.with_limits
def serve(
    host: serving.Host = "127.0.0.1",
    port: serving.Port = 8750,
    origins: serving.Origins = None,
    ticket_secret: serving.TicketSecret = None,
    ticket_key: serving.TicketKey = None,
    tls_cert: serving.TlsCert = None,
    tls_key: serving.TlsKey = None,
    trusted_proxies: serving.TrustedProxies = None,
    faults: serving.Faults = Path("phylactery-faults"),
    data: serving.Data = "phylactery.db",
    grace: serving.Grace = 75.0,
    log_level: serving.LogLevel = "info",
    pace: options.Pace = 1.0,
    **limits: float,
) -> None:
    """A server: rooms, battles and streams for players and spectators. Ctrl-C ends it.

    Needs no configuration, and listens to this machine alone unless told otherwise; for others to
    reach it, it asks for tickets. Each setting is an option here and a variable of the
    environment; the option wins.

    Killed and started again it goes on where the clock says it is. Told to stop (Ctrl-C, SIGTERM)
    it begins nothing new and waits for the battles that run; told again it ends at once.
    """
    from server.cli.serve import serve

    _exit(
        serve(
            host=host,
            port=port,
            security={
                "origins": origins or [],
                "ticket_secret": ticket_secret,
                "ticket_key": ticket_key,
                "tls_cert": tls_cert,
                "tls_key": tls_key,
                "trusted_proxies": trusted_proxies or [],
            },
            faults=faults,
            data=data,
            grace=grace,
            log_level=log_level,
            pace=pace,
            limits=limits,
        )
    )


@_command(epilog=options.PLAY_EXAMPLES)
def play(
    board: options.BoardArgument,
    server: options.Server = options.DEFAULT_SERVER,
    create: options.Create = False,
    room: options.Room = None,
    quick: options.Quick = False,
    key: options.NewKey = None,
    private: options.Private = False,
    name: options.Name = None,
    best_of: options.BestOf = None,
    rounds: options.Rounds = 0,
    speed: options.RoomSpeed = None,
    ticket: options.Ticket = None,
    yes: options.Yes = False,
) -> None:
    """Fight with a board: in a room of your own, in someone's, or against whoever is there.

    Shows the battles live, and checks every result: that the seed is what the server had committed
    itself to, and that fighting the battle again gives the same log.
    """
    from server.cli.play import Game, play

    way = ways.one_way(create=create, room=room, quick=quick)
    ways.check_way(way, key=key, private=private, best_of=best_of, speed=speed, yes=yes)
    game = Game(
        board=board,
        server=server,
        way=way,
        room=room,
        key=key,
        private=private,
        name=name,
        best_of=options.USUAL_BEST_OF if best_of is None else best_of,
        rounds=rounds,
        speed=1 if speed is None else options.speed_of(speed),
        ticket=ticket,
        yes=yes,
    )
    _exit(play(game))


@_command(epilog=options.WATCH_EXAMPLES)
def watch(
    room: options.RoomArgument,
    server: options.Server = options.DEFAULT_SERVER,
    key: options.Key = None,
    from_start: options.FromStart = False,
    delay: options.Delay = 0,
    channels: options.ChannelNames = "tick,revival,vessel",
    ticket: options.Ticket = None,
) -> None:
    """Watch the battles of a room, live or a little later."""
    from server.cli.watch import watch

    followed = options.channel_list(channels)
    _exit(
        watch(
            room,
            server,
            key=key,
            from_start=from_start,
            delay=delay,
            channels=followed,
            ticket=ticket,
        )
    )


@_command(epilog=loading.EXAMPLES)
def load(
    url: loading.Url,
    rooms: loading.RoomCount = 10,
    spectators: loading.SpectatorCount = 3,
    bystanders: loading.Bystanders = 0,
    seconds: loading.Seconds = 30.0,
    speed: options.Speed = 1,
    churn: loading.Churn = False,
    slow: loading.Slow = False,
    verify: loading.Verify = False,
    turnover: loading.Turnover = False,
    processes: loading.Processes = 0,
    as_json: loading.AsJson = False,
    pace: options.Pace = 1.0,
) -> None:
    """Put a server under load: rooms of players who fight, and spectators of mixed channels.

    Then says what they met. Every frame's number is looked at; the exit status is 1 if a frame was
    missing or came twice, if a digest was not what it should be, or if the server was gone at
    the end or had not let everyone in.
    """
    from server.load.command import load
    from server.load.share import Wishes

    loading.check(slow=slow, spectators=spectators)
    wishes = Wishes(
        url=url,
        rooms=rooms,
        spectators=spectators,
        bystanders=bystanders,
        seconds=seconds,
        speed=options.speed_of(speed),
        pace=pace,
        churn=churn,
        slow=slow,
        verify=verify,
        turnover=turnover,
    )
    _exit(load(wishes, workers=processes, as_json=as_json))


@_command(epilog=options.BATTLE_EXAMPLES)
def battle(file: options.BattleFile) -> None:
    """Fight one battle from a file and write its log, one JSON object a line.

    Same file, same log, byte for byte, everywhere. If the file is not a legal battle, nothing is
    written, every fault stands on standard error with its path, and the exit status is 2.
    """
    from server.cli.battle import battle

    _exit(battle(file))


@_command(epilog=counting.ODDS_EXAMPLES)
def odds(
    boards: counting.Boards = None,
    change: counting.Change = None,
    battles: counting.Battles = 0,
    seed: counting.Seed = "odds",
    processes: counting.Processes = 0,
    as_json: counting.AsJson = False,
) -> None:
    """Fight boards against each other a thousand times, and say how often each wins.

    Two boards: also what each unit does. One: against each sample board. None: the sample boards
    among themselves. With a change of the catalog: what it does to all of that.

    The same seed fights the same battles; every second one has the seats changed.
    """
    from server.odds.command import Wishes
    from server.odds.command import odds as fought

    _exit(fought(boards or [], Wishes(battles, seed, change, processes, as_json)))


@_command(epilog=counting.BALANCE_EXAMPLES)
def balance(
    change: counting.Change = None,
    battles: counting.Battles = 0,
    seed: counting.Seed = "odds",
    processes: counting.Processes = 0,
    as_json: counting.AsJson = False,
) -> None:
    """Fight boards drawn at random from the catalog, and say how often they win with each card.

    And with each rune. All boards have six units, and any cards that can be paid for together are
    as likely as any others, so what stands out does so whatever stands beside it.
    """
    from server.odds.command import Wishes
    from server.odds.command import balance as weighed

    _exit(weighed(Wishes(battles, seed, change, processes, as_json)))


@_command(epilog=options.VERIFY_EXAMPLES)
def verify(replay: options.ReplayFile) -> None:
    """Check a replay: the commitment, the seed, and then the whole battle, fought again.

    The exit status is 0 if all of it holds, 1 if something does not, 2 if no replay is to be had
    or it is of a format that is not known here, and 3 if the battle was fought under other rules or
    cards than this installation has, so that it cannot be fought again here.
    """
    from server.cli.verify import verify

    _exit(verify(replay))


@_command(epilog=replaying.EXAMPLES)
def replay(
    replay: options.ReplayFile,
    speed: replaying.Speed = 1.0,
    from_seconds: replaying.FromSeconds = 0.0,
) -> None:
    """Play a battle that is over, and say whether its replay holds.

    It is shown as watch shows one that is fought, at its own speed. When the output is no terminal,
    everything is printed at once. It plays from what was recorded, whatever rules and cards there
    are by now.

    The exit status is that of verify, and 2 also where the log is none that a battle leaves.
    """
    from server.cli.replay import replay as shown

    _exit(shown(replay, speed=speed, from_seconds=from_seconds))


@_command(epilog=options.TICKET_EXAMPLES)
def ticket(
    player: options.TicketPlayer,
    secret: options.TicketSecret,
    name: options.TicketName = None,
    room: options.TicketRoom = None,
    role: options.TicketRole = None,
    minutes: options.TicketMinutes = 60,
) -> None:
    """Print a ticket for a server that asks for one; for tests and for inviting by hand.

    In earnest tickets are made by whoever knows the players, with any JWT library: HS256, and the
    claims player and exp; name, room and role where they are to bind.
    """
    from server.cli.ticket import ticket

    _exit(ticket(secret, player=player, name=name, room=room, role=role, minutes=minutes))


@_command(epilog=options.VALIDATE_EXAMPLES)
def validate(files: options.ValidateFiles) -> None:
    """Say what a file is, a board, a battle or a catalog (JSON or TOML), and all that is wrong.

    Faults go to standard error, each with file and path; the exit status is then 2.
    """
    from server.cli.battle import validate

    _exit(validate(files))

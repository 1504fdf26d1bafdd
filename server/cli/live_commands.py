"""The commands that are a server, or need one."""

from __future__ import annotations

from pathlib import Path

from server.cli import load_options as loading
from server.cli import options, ways
from server.cli import serve_options as serving


def demo(
    boards: options.DemoBoards = None,
    rounds: options.DemoRounds = 0,
    speed: options.Speed = 1,
    seed: options.DemoSeed = None,
    pace: options.Pace = 1.0,
) -> int:
    """A server, two bots and a live view of their battles, in one process. Ctrl-C ends it.

    The server is a real one: the line it prints says where others can watch. When the output is
    no terminal, each thing that happens is printed as a line.
    """
    from server.cli.demo import demo

    return demo(boards=boards, rounds=rounds, speed=options.speed_of(speed), seed=seed, pace=pace)


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
) -> int:
    """A server: rooms, battles and streams for players and spectators. Ctrl-C ends it.

    Needs no configuration, and listens to this machine alone unless told otherwise; for others to
    reach it, it asks for tickets. Each setting is an option here and a variable of the
    environment; the option wins.

    Killed and started again it goes on where the clock says it is. Told to stop (Ctrl-C, SIGTERM)
    it begins nothing new and waits for the battles that run; told again it ends at once.
    """
    from server.cli.serve import serve

    return serve(
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
) -> int:
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
    return play(game)


def watch(
    room: options.RoomArgument,
    server: options.Server = options.DEFAULT_SERVER,
    key: options.Key = None,
    from_start: options.FromStart = False,
    delay: options.Delay = 0,
    channels: options.ChannelNames = "tick,revival,vessel",
    ticket: options.Ticket = None,
) -> int:
    """Watch the battles of a room, live or a little later."""
    from server.cli.watch import watch

    followed = options.channel_list(channels)
    return watch(
        room,
        server,
        key=key,
        from_start=from_start,
        delay=delay,
        channels=followed,
        ticket=ticket,
    )


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
) -> int:
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
    return load(wishes, workers=processes, as_json=as_json)

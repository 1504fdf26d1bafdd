"""What the writes of watched battles cost by themselves: so many sockets, so many of them written
to on each beat, and nothing else in the process.

A `send` to a socket that was written to a moment ago costs less: here hundreds of others come
between two writes to one, whoever reads has gone to sleep, and each read is acknowledged at once.
"""

from __future__ import annotations

import multiprocessing
import os
import socket
import time
from typing import Final, NamedTuple

from server.load.loop import READ, poller
from server.open_files import allow_open_files

PATIENCE_SECONDS: Final = 20.0
READ_BYTES: Final = 1 << 16


class Rhythm(NamedTuple):
    """Rooms with so many sockets each, every one of which is written to so often."""

    rooms: int
    sockets: int
    writes: float  # a second, to each socket
    size: int  # bytes of each
    beat: float  # seconds between the moments at which they are made


def writes_alone(rhythm: Rhythm, seconds: float) -> float:
    """The CPU time that the writes take, in seconds for each second."""
    number = rhythm.rooms * rhythm.sockets
    allow_open_files(2 * number + 64)
    with socket.create_server(("127.0.0.1", 0), backlog=number) as listener:
        sink = multiprocessing.get_context("spawn").Process(
            target=read_all, args=(listener.getsockname()[1], number), daemon=True
        )
        sink.start()
        listener.settimeout(PATIENCE_SECONDS)  # it may not have come so far
        connections = [_accept(listener) for _ in range(number)]
        try:
            return _write(rhythm, [one.fileno() for one in connections], seconds)
        finally:
            for connection in connections:
                connection.close()
            sink.join()


def read_all(port: int, number: int) -> None:
    """A process of its own: so many clients that read all they are sent, until they are closed."""
    allow_open_files(number + 64)
    poll = poller()
    clients = {}
    for _ in range(number):
        client = socket.create_connection(("127.0.0.1", port))
        clients[client.fileno()] = client
        poll.register(client.fileno(), READ)
    while clients:
        for descriptor, _ in poll.poll(PATIENCE_SECONDS, number):
            if not os.read(descriptor, READ_BYTES):
                clients.pop(descriptor).close()


def _accept(listener: socket.socket) -> socket.socket:
    connection, _ = listener.accept()
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    connection.setblocking(False)
    return connection


def _write(rhythm: Rhythm, sockets: list[int], seconds: float) -> float:
    data, step = bytes(rhythm.size), rhythm.writes * rhythm.beat
    rooms = [sockets[at :: rhythm.rooms] for at in range(rhythm.rooms)]
    begun, cpu = time.monotonic(), time.process_time()
    beats = max(1, round(seconds / rhythm.beat))
    for beat in range(beats):
        time.sleep(max(0.0, begun + beat * rhythm.beat - time.monotonic()))
        for number, room in enumerate(rooms):
            # As if each room had begun at another time.
            phase = number / rhythm.rooms
            if int((beat + 1) * step + phase) > int(beat * step + phase):
                for descriptor in room:
                    os.write(descriptor, data)
    return (time.process_time() - cpu) / (beats * rhythm.beat)

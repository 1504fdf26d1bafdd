"""`::` is every address there is, of both kinds."""

from __future__ import annotations

import socket

import pytest
import trio

from server.config import Config
from tests.server.test_live import running


def can_listen(family: socket.AddressFamily, address: str) -> bool:
    try:
        with socket.socket(family) as one:
            one.bind((address, 0))
    except OSError:
        return False
    return True


@pytest.mark.skipif(
    not can_listen(socket.AF_INET6, "::1"), reason="this machine has no IPv6 to listen on"
)
@pytest.mark.parametrize("near", ["127.0.0.1", "::1"])
async def test_a_server_that_listens_everywhere_is_reached_by_both(near: str) -> None:
    async with running(Config(host="::", port=0)) as server:
        assert server.url == f"ws://[::]:{server.port}"
        async with await trio.open_tcp_stream(near, server.port) as stream:
            await stream.send_all(b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
            assert (await stream.receive_some()).startswith(b"HTTP/1.1 200")

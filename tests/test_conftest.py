"""The tests' own guard against the network."""

import socket

import pytest


@pytest.mark.parametrize("method", ["connect", "connect_ex"])
def test_a_connection_beyond_this_machine_raises(method):
    with socket.socket() as sock, pytest.raises(RuntimeError, match="offline"):
        getattr(sock, method)(("192.0.2.1", 80))


def test_a_datagram_beyond_this_machine_raises():
    with socket.socket(type=socket.SOCK_DGRAM) as sock, pytest.raises(RuntimeError, match="offline"):
        sock.sendto(b"x", ("192.0.2.1", 53))


def test_a_connection_within_this_machine_is_allowed():
    with socket.socket() as server, socket.socket() as client:
        server.bind(("127.0.0.1", 0))
        server.listen(1)
        client.connect(server.getsockname())

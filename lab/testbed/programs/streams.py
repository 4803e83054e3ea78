# SPDX-License-Identifier: Apache-2.0
"""Receiving from TCP connections that do not block."""


def receive_into(connection, buffer):
    """The number of bytes received: 0 at the connection's end, None if there is nothing yet.

    A connection that failed has ended.
    """
    try:
        return connection.recv_into(buffer)
    except BlockingIOError:
        return None
    except OSError:
        return 0

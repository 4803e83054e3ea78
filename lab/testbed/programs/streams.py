# SPDX-License-Identifier: Apache-2.0
"""How programs that count or time what comes by TCP take it in."""


def receive_into(connection, buffer):
    """What a connection that does not block has brought, bytes: 0 at its end, None if nothing.

    A connection that failed has ended.
    """
    try:
        return connection.recv_into(buffer)
    except BlockingIOError:
        return None
    except OSError:
        return 0

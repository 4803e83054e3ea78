# SPDX-License-Identifier: Apache-2.0
"""What control costs: bytes of the management network, and messages between agents."""


def between(before, after, seconds):
    """Rates between two states: kbit/s by kind of node, and messages between agents a second.

    before, after: {"bytes": {kind: both ways}, "messages": sent by all agents}.
    """
    kilobits = {
        kind: round((count - before["bytes"][kind]) * 8 / 1e3 / seconds, 1)
        for kind, count in after["bytes"].items()
    }
    messages = (after["messages"] - before["messages"]) / seconds
    return {"kilobitsPerSecond": kilobits, "messagesPerSecond": round(messages, 1)}

# SPDX-License-Identifier: Apache-2.0
"""Count the IP packets with a DSCP other than 0 that come in by a device, until SIGINT.

The report is one JSON line: {"DSCP": packets}. Packets without one stay in the kernel: a filter
leaves them out, so that counting beside full traffic costs next to nothing.
"""

import ctypes
import socket
import struct

from testbed.programs import incoming

SO_ATTACH_FILTER = 26
ETH_P_IP, ETH_P_IPV6 = 0x0800, 0x86DD
TYPE_AT, TOS_AT = 12, 15  # TOS_AT: IPv4's byte; IPv6's traffic class lies across two
IPV6_CLASS_AT, IPV6_CLASS_SHIFT = 14, 4
DSCP_BITS = 0xFC
# Opcodes of classic BPF (linux/bpf_common.h).
LOAD_HALF, LOAD_BYTE, JUMP_EQUAL, JUMP_SET, RETURN = 0x28, 0x30, 0x15, 0x45, 0x06
WHOLE_FRAME = 0xFFFF
# (opcode, instructions to skip if true, if false, operand)
FILTER = (
    (LOAD_HALF, 0, 0, TYPE_AT),
    (JUMP_EQUAL, 0, 2, ETH_P_IP),
    (LOAD_BYTE, 0, 0, TOS_AT),
    (JUMP_SET, 3, 4, DSCP_BITS),
    (JUMP_EQUAL, 0, 3, ETH_P_IPV6),
    (LOAD_HALF, 0, 0, IPV6_CLASS_AT),
    (JUMP_SET, 0, 1, DSCP_BITS << IPV6_CLASS_SHIFT),
    (RETURN, 0, 0, WHOLE_FRAME),
    (RETURN, 0, 0, 0),
)


def leave_out_others(wire):
    """Have a packet socket receive only what has a DSCP other than 0."""
    program = b"".join(struct.pack("HBBI", *instruction) for instruction in FILTER)
    instructions = ctypes.create_string_buffer(program)
    pointer = struct.pack("HP", len(FILTER), ctypes.addressof(instructions))
    wire.setsockopt(socket.SOL_SOCKET, SO_ATTACH_FILTER, pointer)


def dscp_of(frame):
    """A frame's DSCP; None for what is not IP, and for frames too short to have one."""
    if len(frame) <= TOS_AT:
        return None
    kind, high, low = struct.unpack_from("!HBB", frame, TYPE_AT)
    if kind == ETH_P_IP:
        return low >> 2
    if kind == ETH_P_IPV6:
        return (high << 8 | low) >> IPV6_CLASS_SHIFT >> 2 & 0x3F
    return None


def count(counts, frame):
    """Count a frame by its DSCP, if that is not 0."""
    dscp = dscp_of(frame)
    if dscp:
        counts[str(dscp)] = counts.get(str(dscp), 0) + 1


if __name__ == "__main__":
    incoming.report_counts(__doc__, {}, count, leave_out_others)

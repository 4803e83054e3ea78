// SPDX-License-Identifier: Apache-2.0
package org.sluice.sflow;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.Arrays;

/** Writes datagrams as a switch does, by the specification and independently of the decoder. */
final class TestDatagram {
  static final byte[] AGENT = {10, 9, 0, 1};

  private TestDatagram() {}

  /** Numbers of 32 bits, and arrays of bytes as they are. */
  static byte[] xdr(Object... parts) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    for (Object part : parts) {
      byte[] bytes;
      if (part instanceof byte[]) {
        bytes = (byte[]) part;
      } else if (part instanceof Long) {
        bytes = ByteBuffer.allocate(8).putLong((Long) part).array();
      } else {
        bytes = ByteBuffer.allocate(4).putInt((Integer) part).array();
      }
      out.write(bytes, 0, bytes.length);
    }
    return out.toByteArray();
  }

  /** A structure behind its format and length. */
  static byte[] structure(int format, byte[] body) {
    return xdr(format, body.length, Arrays.copyOf(body, (body.length + 3) / 4 * 4));
  }

  static byte[] datagram(byte[] agent, int subAgent, int sequence, int uptime, byte[]... samples) {
    return xdr(
        5,
        agent.length == 4 ? 1 : 2,
        agent,
        subAgent,
        sequence,
        uptime,
        samples.length,
        joined(samples));
  }

  static byte[] joined(byte[]... parts) {
    return xdr((Object[]) parts);
  }

  static byte[] flowSample(
      int sequence, int source, int rate, int drops, int input, int output, byte[]... records) {
    return structure(
        1,
        xdr(
            sequence,
            source,
            rate,
            sequence * rate,
            drops,
            input,
            output,
            records.length,
            joined(records)));
  }

  static byte[] expandedFlowSample(
      int sequence,
      int sourceClass,
      int source,
      int rate,
      int input,
      int output,
      byte[]... records) {
    return structure(
        3,
        xdr(
            sequence,
            sourceClass,
            source,
            rate,
            sequence * rate,
            0,
            0,
            input,
            0,
            output,
            records.length,
            joined(records)));
  }

  /** The first 128 bytes of a frame, as switches send it. */
  static byte[] header(byte[] frame, int frameBytes) {
    byte[] sampled = Arrays.copyOf(frame, Math.min(frame.length, 128));
    byte[] padded = Arrays.copyOf(sampled, (sampled.length + 3) / 4 * 4);
    return structure(1, xdr(1, frameBytes + 4, 4, sampled.length, padded));
  }

  /** A record of a TCP packet between 10.0.0.1 and 10.0.0.2. */
  static byte[] tcp(int sourcePort, int ipBytes, int flags) {
    byte[] frame = tcpFrame(sourcePort, ipBytes, flags);
    return header(frame, 14 + ipBytes);
  }

  static byte[] tcpFrame(int sourcePort, int ipBytes, int flags) {
    return ByteBuffer.allocate(54)
        .put(new byte[] {2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1, 8, 0})
        .put(new byte[] {0x45, 0})
        .putShort((short) ipBytes)
        .put(new byte[] {0, 0, 0x40, 0, 64, 6, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2})
        .putShort((short) sourcePort)
        .putShort((short) 80)
        .putInt(1)
        .putInt(1)
        .put((byte) 0x50)
        .put((byte) flags)
        .putInt(0)
        .putShort((short) 0)
        .array();
  }

  static byte[] generic(int index, long speed, long inOctets, long outOctets, int discards) {
    return structure(
        1,
        xdr(
            index,
            6,
            speed,
            1,
            3,
            inOctets,
            1,
            2,
            3,
            discards,
            5,
            6,
            outOctets,
            7,
            8,
            9,
            discards + 1,
            11,
            0));
  }
}

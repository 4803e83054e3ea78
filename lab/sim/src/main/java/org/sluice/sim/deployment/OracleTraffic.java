// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.deployment;

import java.nio.charset.StandardCharsets;
import org.sluice.api.policy.TcpHint;

/**
 * What the oracle's messages take on the wire, IP bytes in both directions, acknowledgements
 * included. Switches answer OpenFlow 1.3 port statistics; agents' rows of the traffic matrix and
 * hints are protobuf in gRPC over TLS 1.3, as all of the agent link is.
 */
final class OracleTraffic {
  /** OpenFlow 1.3, A.3.5: ofp_multipart_request and ofp_port_stats_request. */
  private static final int PORTS_REQUEST_BYTES = 16 + 8;

  private static final int REPLY_HEADER_BYTES = 16;

  /** A.3.5.6: ofp_port_stats. */
  private static final int PORT_BYTES = 112;

  /** Messages have a 16-bit length. */
  private static final int MOST_PORTS = (65535 - REPLY_HEADER_BYTES) / PORT_BYTES;

  /** IPv4, TCP and its timestamps. */
  private static final int HEADER_BYTES = 20 + 20 + 12;

  private static final int SEGMENT_BYTES = 1448;

  /** gRPC's prefix, HTTP/2's DATA frame, TLS 1.3's record, type and tag. */
  private static final int GRPC_BYTES = 5 + 9 + 5 + 1 + 16;

  /** A message in the oneof of its direction: tag and length, and tag and epoch of 4 bytes. */
  private static final int ENVELOPE_BYTES = 1 + 3 + 1 + 4;

  private static final int VARINT_BITS = 7;
  private static final int NANOS_PER_MICRO = 1000;

  private OracleTraffic() {}

  /** A switch is polled for all its ports' counters, and answers. */
  static long counters(int ports) {
    int messages = (ports + MOST_PORTS - 1) / MOST_PORTS;
    long reply = (long) messages * REPLY_HEADER_BYTES + (long) ports * PORT_BYTES;
    return tcp(PORTS_REQUEST_BYTES) + tcp(reply);
  }

  /**
   * A host reports whom it has sent how much: two packed fields, of group numbers and bytes.
   *
   * @param bytesByGroup 0 for those that it has sent nothing
   */
  static long row(long... bytesByGroup) {
    long groups = 0;
    long bytes = 0;
    for (int group = 0; group < bytesByGroup.length; group++) {
      if (bytesByGroup[group] > 0) {
        groups += varint(group);
        bytes += varint(bytesByGroup[group]);
      }
    }
    return groups == 0 ? 0 : grpc(field(groups) + field(bytes));
  }

  /**
   * A host gets a hint.
   *
   * @param destinations IPv4 prefixes towards which it holds; 0 for all
   */
  static long hint(TcpHint hint, int destinations) {
    long payload = 0;
    if (hint.initialWindowSegments() > 0) {
      payload += 1 + varint(hint.initialWindowSegments());
    }
    if (hint.rtoMinNanos() > 0) {
      payload += 1 + varint(hint.rtoMinNanos() / NANOS_PER_MICRO);
    }
    if (!hint.congestionControl().isEmpty()) {
      payload += field(hint.congestionControl().getBytes(StandardCharsets.UTF_8).length);
    }
    if (hint.pacingBitsPerSecond() > 0) {
      payload += 1 + varint(hint.pacingBitsPerSecond());
    }
    // Each a message of address and length.
    payload += destinations * field(field(4) + 2);
    return grpc(payload);
  }

  private static long field(long length) {
    return 1 + varint(length) + length;
  }

  private static int varint(long value) {
    int bits = Math.max(1, Long.SIZE - Long.numberOfLeadingZeros(value));
    return (bits + VARINT_BITS - 1) / VARINT_BITS;
  }

  private static long grpc(long payload) {
    return tcp(payload + ENVELOPE_BYTES + GRPC_BYTES);
  }

  /** In full segments, every second of which is acknowledged, and the last. */
  private static long tcp(long payload) {
    long segments = (payload + SEGMENT_BYTES - 1) / SEGMENT_BYTES;
    return payload + (segments + (segments + 1) / 2) * HEADER_BYTES;
  }
}

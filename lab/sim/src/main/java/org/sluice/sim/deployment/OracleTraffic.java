// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.deployment;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.sluice.api.link.TcpHints;
import org.sluice.api.policy.PrefixHint;
import org.sluice.api.policy.TcpHint;
import org.sluice.sim.network.Host;
import org.sluice.sim.network.Network;
import org.sluice.sim.network.Switch;

/**
 * What the oracle's messages take on the wire, IP bytes in both directions, acknowledgements
 * included. Switches answer OpenFlow 1.3 port statistics; agents' rows of the traffic matrix and
 * hints are protobuf in gRPC over TLS 1.3, as all of the agent link is.
 */
public final class OracleTraffic {
  /** How often hosts report whom they send to unless cycles are longer: 30 s. */
  private static final long MATRIX_NANOS = 30_000_000_000L;

  private static final double BITS_NANOS_PER_KILOBIT = 8e6;

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

  private OracleTraffic() {}

  /**
   * What collecting costs at a cycle, kbit/s: once in it every port of every switch, and every
   * {@link #MATRIX_NANOS} at most, of every host, a row with 100 MB to every rack.
   */
  public static double collectionKilobits(Network network, long cycleNanos) {
    long counters = 0;
    int racks = 0;
    for (Switch each : network.switches()) {
      counters += counters(each.ports().size());
      racks += each.ports().stream().anyMatch(port -> port.peer() instanceof Host) ? 1 : 0;
    }
    long[] full = new long[racks];
    Arrays.fill(full, 100_000_000L);
    double rows = (double) row(full) * network.hosts().size();
    double bytesPerNano =
        (double) counters / cycleNanos + rows / Math.max(cycleNanos, MATRIX_NANOS);
    return bytesPerNano * BITS_NANOS_PER_KILOBIT;
  }

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

  /** A host gets a set of hints. */
  static long hints(TcpHints hints) {
    long payload = 1L + varint(hints.revision());
    for (PrefixHint each : hints.hints()) {
      payload += field(length(each));
    }
    return grpc(payload);
  }

  private static long length(PrefixHint each) {
    TcpHint hint = each.hint();
    // Each a message of address and length.
    long length = field(field(4) + 2) * each.destinations().size();
    if (hint.initialWindowSegments() > 0) {
      length += 1 + varint(hint.initialWindowSegments());
    }
    if (hint.rtoMinNanos() > 0) {
      length += 1 + Long.BYTES;
    }
    if (!hint.congestionControl().isEmpty()) {
      length += field(hint.congestionControl().getBytes(StandardCharsets.UTF_8).length);
    }
    if (hint.pacingBitsPerSecond() > 0) {
      length += 1 + varint(hint.pacingBitsPerSecond());
    }
    return length;
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

// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.opentcp;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.sluice.api.PortId;
import org.sluice.api.SluiceException;
import org.sluice.api.policy.Limits;
import org.sluice.api.policy.Policy;
import org.sluice.api.policy.PolicyConstraints;
import org.sluice.api.policy.PolicySet;
import org.sluice.api.policy.TcpHint;

/**
 * Two racks with a link each to a spine and back, and one to a host: 1 Gbit/s each, read every
 * second.
 */
final class SmallFabric {
  static final int UP_A = 0;
  static final int DOWN_A = 1;
  static final int UP_B = 2;
  static final int DOWN_B = 3;
  static final int HOST_A = 4;
  static final int HOST_B = 5;
  static final int A = 0;
  static final int B = 1;
  static final int LINKS = 6;
  static final long CAPACITY = 1_000_000_000L;
  static final int PACKET_BYTES = 1250;
  static final TcpHint FAST =
      TcpHint.builder().initialWindowSegments(20).rtoMinNanos(2_000_000).build();

  private static final long SECOND = 1_000_000_000L;
  private static final long PACKETS_PER_SECOND = CAPACITY / 8 / PACKET_BYTES;

  final Oracle oracle;

  /** What was sent, by "source>destination", the latest. */
  final Map<String, TcpHint> hints = new LinkedHashMap<>();

  final List<String> sent = new ArrayList<>();
  final double[] utilisation = new double[LINKS];
  final double[] dropRate = new double[LINKS];
  final long[] bytes = new long[LINKS];
  final long[] packets = new long[LINKS];
  final long[] drops = new long[LINKS];
  final boolean[] isRead = new boolean[LINKS];
  long nowNanos = SECOND;

  SmallFabric() {
    GroupTopology fabric = new GroupTopology(List.of("a", "b"));
    for (int link = 0; link < LINKS; link++) {
      fabric.addLink(PortId.of("of:1", link), CAPACITY, link < HOST_A);
      isRead[link] = true;
    }
    fabric.setPath(A, A, new int[] {HOST_A});
    fabric.setPath(B, B, new int[] {HOST_B});
    fabric.setPath(A, B, new int[] {UP_A, DOWN_B, HOST_B});
    fabric.setPath(B, A, new int[] {UP_B, DOWN_A, HOST_A});
    oracle =
        new Oracle(
            fabric,
            (source, destination, hint) -> {
              String whom = source + ">" + (destination == HintSink.EVERY ? "*" : destination);
              hints.put(whom, hint);
              sent.add(whom);
            });
    read();
  }

  /** A second passes with what {@link #utilisation} and {@link #dropRate} say, and a cycle ends. */
  void cycle() {
    nowNanos += SECOND;
    for (int link = 0; link < LINKS; link++) {
      long came = Math.round(utilisation[link] * PACKETS_PER_SECOND);
      bytes[link] += came * PACKET_BYTES;
      packets[link] += came;
      drops[link] += Math.round(came * dropRate[link] / (1 - dropRate[link]));
    }
    read();
    oracle.cycle();
  }

  void cycles(int count) {
    for (int i = 0; i < count; i++) {
      cycle();
    }
  }

  void read() {
    for (int link = 0; link < LINKS; link++) {
      if (isRead[link]) {
        oracle.readings().read(link, bytes[link], packets[link], drops[link], nowNanos);
      }
    }
  }

  boolean isFast(int source) {
    return FAST.equals(hints.get(source + ">*"));
  }

  static Policy.Builder fast(double enter, double leave) {
    return Policy.builder("fast")
        .enterBelow(Limits.of(enter, Limits.NO_LIMIT))
        .leaveAt(Limits.of(leave, Limits.NO_LIMIT))
        .hint(FAST);
  }

  static PolicySet set(Policy... policies) {
    return set(PolicyConstraints.DEFAULTS, policies);
  }

  static PolicySet set(PolicyConstraints constraints, Policy... policies) {
    try {
      return PolicySet.builder("test").constraints(constraints).policies(List.of(policies)).build();
    } catch (SluiceException e) {
      throw new AssertionError(e.field() + ": " + e.getMessage(), e);
    }
  }
}

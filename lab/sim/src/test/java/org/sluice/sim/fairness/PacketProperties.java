// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.fairness;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.sluice.sim.fairness.CaseKind.Size;

/**
 * Packets, queues and hosts' laws beside the controller come near the reference's shares, in {@link
 * Domain}. Seeds are fixed. Of 150 cases with one port the worst was 3.7 % off. Over several ports
 * it is most cases that come near, and with TCP fewer: docs/two-time-scale-law-figures.md has the
 * distribution, {@code make bench-fairness} makes it.
 */
class PacketProperties {
  static final double TOLERANCE = 0.05;
  static final Size SIZE = new Size(3, 4, 3, 40, 100);

  private static Outcome outcome(CaseKind kind, long seed, boolean isTcp) {
    FairnessCase drawn = Domain.ofPackets(kind.draw(seed, SIZE), isTcp);
    return new PacketRun(drawn, seed).run();
  }

  @Test
  void ratesAreNearMaxMinAtOnePort() {
    for (int seed = 1; seed <= 15; seed++) {
      Outcome outcome = outcome(CaseKind.ONE_PORT, seed, true);
      assertThat(outcome.error()).as("seed %d: %s", seed, outcome).isLessThan(TOLERANCE);
    }
  }

  @Test
  void udpRatesAreMostlyNearMaxMinOverSeveralPorts() {
    int far = 0;
    for (int seed = 1; seed <= 10; seed++) {
      far += outcome(CaseKind.CHAIN, seed, false).error() > TOLERANCE ? 1 : 0;
      far += outcome(CaseKind.TREE, seed, false).error() > TOLERANCE ? 1 : 0;
    }
    assertThat(far).as("cases of 20 with somebody more than 5 % off").isLessThanOrEqualTo(2);
  }
}

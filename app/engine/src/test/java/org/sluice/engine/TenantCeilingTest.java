// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.sluice.api.EndpointId;
import org.sluice.api.HostId;
import org.sluice.api.SluiceException;
import org.sluice.api.Tenant;
import org.sluice.api.TenantId;
import org.sluice.api.link.EndpointProfile;
import org.sluice.api.link.PairSample;

/** A tenant's ceiling of 200 Mbit/s over endpoints 1 to 3 on three hosts; no port is congested. */
class TenantCeilingTest {
  private static final double CEILING_MBITS = 200;
  private static final TenantId RED = TenantId.of("red");

  private final EngineFixture fixture =
      new EngineFixture().portOf(1, 10_000).portOf(2, 10_000).endpointAt(9);

  /** What is left of packets of periods before. */
  private final double[] left = new double[4];

  @BeforeEach
  void joinAll() throws SluiceException {
    for (int n = 1; n <= 3; n++) {
      fixture.endpointAt(n).path(n, 9, 1, 2);
      join(n, RED);
    }
    limit(CEILING_MBITS);
  }

  private void join(int n, TenantId tenant) {
    fixture.engine.putEndpoint(
        EndpointProfile.of(EngineFixture.endpoint(n), tenant, 1, 0, 0, false),
        Set.of(EngineFixture.ip(n)));
  }

  private void limit(double megabits) throws SluiceException {
    long bitsPerSecond = (long) (megabits * 1e6);
    fixture.engine.shareTenant(Tenant.builder(RED).ceilingBitsPerSecond(bitsPerSecond).build());
  }

  /** Each endpoint sends what its VM demands, as far as its host lets it, for so long. */
  private void send(long millis, double... wantedMbits) {
    sendMarked(millis, 0, wantedMbits);
  }

  private void sendMarked(long millis, long marksOfEach, double... wantedMbits) {
    for (long end = fixture.now() + millis * EngineFixture.MILLIS; fixture.now() < end; ) {
      for (int n = 1; n <= wantedMbits.length; n++) {
        // Packets of 12 kbit in 5 ms.
        left[n] += Math.min(wantedMbits[n - 1], part(n)) * 5 / 12;
        long packets = (long) left[n];
        left[n] -= packets;
        if (packets > 0) {
          fixture.traffic(n, 9, packets, Math.min(packets, marksOfEach));
        }
      }
      fixture.tick();
    }
  }

  /** Mbit/s. */
  private double part(int n) {
    return fixture.ceilings.getOrDefault(EngineFixture.endpoint(n), 0L) / 1e6;
  }

  private double sum() {
    return part(1) + part(2) + part(3);
  }

  @Test
  void idleEndpointsHaveTheirWeightedParts() {
    fixture.tick();
    assertThat(part(1)).isCloseTo(CEILING_MBITS / 3, within(0.01));
    assertThat(sum()).isCloseTo(CEILING_MBITS, within(0.01));
  }

  @Test
  void greedyEndpointsShareTheCeiling() {
    send(1000, 500, 500, 500);
    assertThat(part(1)).isCloseTo(CEILING_MBITS / 3, within(0.1));
    assertThat(sum()).isCloseTo(CEILING_MBITS, within(0.1));
  }

  @Test
  void unusedPartGoesToOtherEndpoints() {
    send(1000, 500, 500, 20);
    assertThat(part(1)).isCloseTo(90, within(2.0));
    assertThat(part(2)).isCloseTo(90, within(2.0));
    assertThat(part(3)).isBetween(20.0, 30.0);
  }

  @Test
  void endingEndpointReleasesItsPartAndRegainsItWithinHalfASecond() {
    send(1000, 500, 500, 500);
    send(500, 500, 500);
    assertThat(part(1)).isCloseTo(100, within(2.0));
    assertThat(part(3)).as("5 % for idle ones").isCloseTo(10 / 3.0, within(0.2));
    send(500, 500, 500, 500);
    assertThat(part(3)).isCloseTo(CEILING_MBITS / 3, within(2.0));
    assertThat(sum()).isLessThanOrEqualTo(1.02 * CEILING_MBITS);
  }

  /** Its host knows at once that it wants more; its rate shows so only step by step. */
  @Test
  void endpointThatBeginsToWaitHasATenthAtOnceAndItsPartSoon() {
    send(1000, 500, 500);
    assertThat(part(3)).isCloseTo(10 / 3.0, within(0.2));
    send(10, 500, 500, 500);
    assertThat(part(3)).isCloseTo(CEILING_MBITS / 10, within(1.0));
    assertThat(part(1)).as("not less until it is used").isCloseTo(100, within(2.0));
    send(200, 500, 500, 500);
    assertThat(part(3)).isGreaterThan(0.95 * CEILING_MBITS / 3);
  }

  @Test
  void partsExceedTheCeilingByATenthAtMost() {
    double[] wanted = {500, 500, 500};
    for (int step = 0; step < 60; step++) {
      wanted[step % 3] = new double[] {0, 3, 40, 500, 90}[step % 5];
      send(60, wanted);
      assertThat(sum()).as("at step %d", step).isLessThan(1.13 * CEILING_MBITS);
    }
  }

  @Test
  void trafficWithinAHostCounts() {
    for (int period = 0; period < 200; period++) {
      long packets = 40; // 96 Mbit/s
      EndpointId neighbour = EndpointId.of(HostId.of("h1"), "vm1");
      fixture.engine.putEndpoint(
          EndpointProfile.of(neighbour, TenantId.of("blue"), 1, 0, 0, false),
          Set.of(EngineFixture.ip(100)));
      fixture.observe(
          1,
          PairSample.of(
              EngineFixture.ip(1), EngineFixture.ip(100), packets, packets * 1500, 0, 0, 0));
      send(5, 0, 500);
    }
    assertThat(part(1)).as("96 and a quarter").isBetween(100.0, 130.0);
    assertThat(part(2)).isCloseTo(104, within(5.0));
  }

  /** What is less than the messages' threshold is made good twice a second. */
  @Test
  void steadyTenantCausesFewUpdates() {
    send(2000, 500, 500, 20);
    int before = fixture.ceilingDecisions;
    send(2000, 500, 500, 20);
    assertThat(fixture.ceilingDecisions - before).isLessThanOrEqualTo(4 * 3);
    assertThat(part(1) + part(2)).isCloseTo(CEILING_MBITS - 20, within(2.0));
  }

  @Test
  void changedCeilingOrMembershipAppliesAtTheNextTick() throws SluiceException {
    send(500, 500, 500, 500);
    limit(100);
    fixture.tick();
    assertThat(sum()).isLessThanOrEqualTo(110);
    join(3, TenantId.of("blue"));
    fixture.tick();
    assertThat(fixture.ceilings).doesNotContainKey(EngineFixture.endpoint(3));
    fixture.engine.removeEndpoint(EngineFixture.endpoint(2));
    assertThat(fixture.ceilings).containsOnlyKeys(EngineFixture.endpoint(1));
    limit(0);
    fixture.tick();
    assertThat(fixture.ceilings).isEmpty();
  }

  @Test
  void admittedRatesAreReserved() {
    fixture.engine.reserve(
        sink -> sink.add(EngineFixture.endpoint(1), EngineFixture.port(1), 120e6));
    send(1000, 500, 500, 500);
    assertThat(part(1)).isCloseTo(120, within(0.5));
    assertThat(part(2)).isCloseTo(40, within(0.5));
  }

  @Test
  void eachEndpointHasTheWholeCeilingWithShareEndpoint() {
    send(100, 500, 500, 500);
    fixture.engine.divideTenant(RED);
    fixture.tick();
    assertThat(fixture.ceilings).isEmpty();
  }
}

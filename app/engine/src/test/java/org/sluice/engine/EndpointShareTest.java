// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.sluice.engine.EngineFixture.MBIT;
import static org.sluice.engine.EngineFixture.endpoint;
import static org.sluice.engine.EngineFixture.ip;
import static org.sluice.engine.EngineFixture.port;
import static org.sluice.engine.EngineFixture.profile;
import static org.sluice.engine.EngineFixture.received;

import java.util.Set;
import org.junit.jupiter.api.Test;
import org.sluice.api.Law;
import org.sluice.api.Tenant;
import org.sluice.api.TenantId;
import org.sluice.api.link.EndpointProfile;
import org.sluice.engine.control.EndpointShare;

/** What an endpoint is due, as receivers alone see it, at a port of 50 Mbit/s. */
class EndpointShareTest {
  private static final double PERCENT = 0.01;

  private EngineFixture fixture = EngineFixture.dumbbell(3);

  /**
   * So many packets of each sender arrive in every T_i, 2.4 Mbit/s each, and a third are marked.
   * Sender 1 has no agent.
   */
  private void send(long millis, int... packets) {
    for (long passed = 0; passed < millis; passed += 5) {
      for (int n = 1; n <= packets.length; n++) {
        int count = packets[n - 1];
        if (count == 0) {
          continue;
        }
        if (n == 1) {
          fixture.observe(9, received(1, 9, count, (count + 2) / 3));
        } else {
          fixture.traffic(n, 9, count, (count + 2) / 3);
        }
      }
      fixture.tick();
    }
  }

  private EndpointShare ofFirst() {
    return fixture.engine.share(endpoint(1)).orElseThrow();
  }

  @Test
  void isTheWeightedPartOfTheControlledPort() {
    send(500, 10, 5, 5);
    assertThat(ofFirst().port()).contains(port(1));
    assertThat(ofFirst().shareBitsPerSecond() / 50e6).isCloseTo(1.0 / 3, within(PERCENT));
    assertThat(ofFirst().takenBitsPerSecond() / 1e6).isCloseTo(24, within(1.0));
    assertThat(ofFirst().heldBitsPerSecond()).as("its NIC").isEqualTo(10_000 * MBIT);
  }

  @Test
  void doesNotGrowWithExcessTraffic() {
    send(500, 10, 10);
    send(4_000, 18, 2);
    assertThat(ofFirst().takenBitsPerSecond() / 1e6).isCloseTo(43.2, within(1.0));
    assertThat(ofFirst().shareBitsPerSecond() / 50e6).isCloseTo(0.5, within(PERCENT));
  }

  @Test
  void usesCapacityLeftByLowDemands() {
    fixture.light(3);
    send(12_000, 12, 8, 1);
    assertThat(ofFirst().shareBitsPerSecond() / 1e6)
        .as("half of what the third leaves")
        .isCloseTo(23.8, within(0.5));
  }

  @Test
  void leavesNewEndpointsTheirShare() {
    send(12_000, 20, 0);
    send(4_000, 19, 1);
    assertThat(ofFirst().shareBitsPerSecond() / 50e6).isCloseTo(0.5, within(PERCENT));
  }

  @Test
  void growsWhenOthersEndAndShrinksWhenOthersBegin() {
    send(500, 10, 10);
    send(1000, 20, 0);
    assertThat(ofFirst().shareBitsPerSecond() / 50e6).isCloseTo(1, within(PERCENT));
    send(500, 14, 3, 3);
    assertThat(ofFirst().shareBitsPerSecond() / 50e6).isCloseTo(1.0 / 3, within(PERCENT));
  }

  @Test
  void respectsGuaranteesOfOthersAndItsOwn() {
    fixture.engine.putEndpoint(profile(2, 1, 30 * MBIT, 0), Set.of(ip(2)));
    send(1000, 18, 2);
    assertThat(ofFirst().shareBitsPerSecond() / 1e6).isCloseTo(20, within(0.2));

    fixture.engine.putEndpoint(profile(2, 1, 0, 0), Set.of(ip(2)));
    fixture.engine.putEndpoint(profile(1, 1, 30 * MBIT, 0), Set.of(ip(1)));
    send(1000, 12, 8);
    assertThat(ofFirst().shareBitsPerSecond() / 1e6).isCloseTo(30, within(0.2));
  }

  @Test
  void isAPartOfTheTenantsShareWithShareTenant() throws Exception {
    TenantId tenant = TenantId.of("both");
    fixture.engine.putEndpoint(
        EndpointProfile.of(endpoint(1), tenant, 1, 0, 0, false), Set.of(ip(1)));
    fixture.engine.putEndpoint(
        EndpointProfile.of(endpoint(2), tenant, 3, 0, 0, false), Set.of(ip(2)));
    fixture.engine.shareTenant(Tenant.builder(tenant).build());
    send(1000, 8, 6, 6);
    assertThat(ofFirst().shareBitsPerSecond() / 50e6).isCloseTo(1.0 / 8, within(PERCENT));
  }

  @Test
  void isBoundedByTheHostAloneWithoutAControlledPort() {
    fixture.engine.putEndpoint(profile(1, 1, 0, 7 * MBIT), Set.of(ip(1)));
    for (int i = 0; i < 100; i++) {
      fixture.observe(9, received(1, 9, 5, 0)).tick();
    }
    assertThat(ofFirst().port()).isEmpty();
    assertThat(ofFirst().shareBitsPerSecond()).isEqualTo(EndpointShare.UNBOUNDED);
    assertThat(ofFirst().heldBitsPerSecond()).isEqualTo(7 * MBIT);
    assertThat(ofFirst().takenBitsPerSecond() / 1e6).isCloseTo(12, within(0.5));
    assertThat(fixture.engine.share(endpoint(77))).isEmpty();
  }

  @Test
  void sdnGccHasNoShares() {
    fixture = EngineFixture.dumbbell(3, EngineParameters.DEFAULTS.withLaw(Law.SDN_GCC));
    send(500, 10, 5, 5);
    assertThat(fixture.status(1).congested()).isTrue();
    assertThat(ofFirst().port()).isEmpty();
  }
}

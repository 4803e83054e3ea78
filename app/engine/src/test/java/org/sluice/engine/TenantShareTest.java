// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;
import org.sluice.api.SluiceException;
import org.sluice.api.Tenant;
import org.sluice.api.TenantId;
import org.sluice.api.link.ControlledEndpoint;
import org.sluice.api.link.EndpointProfile;
import org.sluice.api.link.UnitShare;

/** How a port is shared among tenants, and a tenant's share among its endpoints. */
class TenantShareTest {
  /** The demand of a light endpoint is seen smoothed. */
  private static final Offset<Double> ABOUT = within(0.05);

  private static final double PORT_MBITS = 50;

  /** By endpoint, the last. */
  private final Map<Integer, UnitShare> published = new HashMap<>();

  private static EngineFixture dumbbell(int senders) {
    EngineFixture fixture = EngineFixture.dumbbell(0);
    for (int n = 1; n <= senders; n++) {
      fixture.endpointAt(n).path(n, 9, 1, 2);
    }
    return fixture;
  }

  private static void join(EngineFixture fixture, String tenant, double weight, int... endpoints) {
    for (int n : endpoints) {
      fixture.engine.putEndpoint(
          EndpointProfile.of(EngineFixture.endpoint(n), TenantId.of(tenant), weight, 0, 0, false),
          Set.of(EngineFixture.ip(n)));
    }
  }

  private static void share(EngineFixture fixture, Tenant.Builder tenant) {
    try {
      fixture.engine.shareTenant(tenant.build());
    } catch (SluiceException e) {
      throw new AssertionError(e);
    }
  }

  private static Tenant.Builder tenant(String name) {
    return Tenant.builder(TenantId.of(name));
  }

  /** Each endpoint n gets through mbits[n - 1] for a while. */
  private void send(EngineFixture fixture, double... mbits) {
    long packetsOf1Mbit = 5; // in 60 ms
    for (int period = 0; period < 40; period++) {
      for (int n = 1; n <= mbits.length; n++) {
        // A period carries 5 packets of 12 kbit at 12 Mbit/s.
        double packets = mbits[n - 1] * packetsOf1Mbit / 12;
        long whole = (long) ((period + 1) * packets) - (long) (period * packets);
        if (whole > 0) {
          fixture.traffic(n, 9, whole, 1);
        }
      }
      fixture.tick();
      for (int n = 1; n <= mbits.length; n++) {
        for (UnitShare share : fixture.sharesTo(n)) {
          published.put(n, share);
        }
      }
    }
  }

  /** What the endpoint may send by its unit share and weight as published last, Mbit/s. */
  private double part(int n) {
    ControlledEndpoint own = published.get(n).endpoints().get(0);
    double weight = own.weight() == ControlledEndpoint.PROFILE_WEIGHT ? 1 : own.weight();
    return weight * published.get(n).unitShareBitsPerSecond() / 1e6;
  }

  @Test
  void tenantsHaveEqualSharesWhateverTheirNumberOfEndpoints() {
    EngineFixture fixture = dumbbell(4);
    join(fixture, "one", 1, 1);
    join(fixture, "three", 1, 2, 3, 4);
    share(fixture, tenant("one"));
    share(fixture, tenant("three"));
    send(fixture, 25, 8.33, 8.33, 8.33);
    assertThat(part(1)).isCloseTo(25, ABOUT);
    assertThat(part(2)).isCloseTo(25 / 3.0, ABOUT);
  }

  @Test
  void endpointsShareByTheirWeights() {
    EngineFixture fixture = dumbbell(3);
    join(fixture, "one", 1, 1);
    join(fixture, "two", 1, 2);
    join(fixture, "two", 3, 3);
    share(fixture, tenant("one"));
    share(fixture, tenant("two").weight(4));
    send(fixture, 10, 10, 30);
    assertThat(part(1)).isCloseTo(10, ABOUT);
    assertThat(part(2)).isCloseTo(10, ABOUT);
    assertThat(part(3)).isCloseTo(30, ABOUT);
  }

  /** 1 of 8.33 is used: two siblings have 24 between them. */
  @Test
  void unusedEndpointShareGoesToTheTenantsOtherEndpointsFirst() {
    EngineFixture fixture = dumbbell(4);
    join(fixture, "one", 1, 1);
    join(fixture, "three", 1, 2, 3, 4);
    share(fixture, tenant("one"));
    share(fixture, tenant("three"));
    fixture.light(2);
    send(fixture, 25, 1, 12, 12);
    assertThat(part(1)).as("the other tenant's").isCloseTo(25, ABOUT);
    assertThat(part(3)).isCloseTo(24 / 2.0, within(0.3));
  }

  /** All of it demands 3 of 25. */
  @Test
  void unusedTenantShareGoesToOtherTenants() {
    EngineFixture fixture = dumbbell(4);
    join(fixture, "one", 1, 1);
    join(fixture, "three", 1, 2, 3, 4);
    share(fixture, tenant("one"));
    share(fixture, tenant("three"));
    fixture.light(2, 3, 4);
    send(fixture, 47, 1, 1, 1);
    assertThat(part(1)).isCloseTo(47, within(0.7));
    assertThat(part(2)).as("could have what its siblings leave").isGreaterThan(8);
  }

  /** 30 of 50 are one tenant's, whatever it weighs; its two endpoints have half each. */
  @Test
  void tenantGuaranteeIsSharedByItsEndpoints() {
    EngineFixture fixture = dumbbell(4);
    join(fixture, "assured", 1, 1, 2);
    join(fixture, "other", 1, 3, 4);
    share(fixture, tenant("assured").guaranteeBitsPerSecond(30_000_000));
    share(fixture, tenant("other").weight(10));
    send(fixture, 15, 15, 10, 10);
    assertThat(part(1)).as("its weight's; the floor holds over it").isCloseTo(1, ABOUT);
    assertThat(part(3)).isCloseTo(10, ABOUT);
    ControlledEndpoint own = published.get(1).endpoints().get(0);
    assertThat(own.floorBitsPerSecond().orElse(0) / 1e6).isCloseTo(15, ABOUT);
  }

  @Test
  void tenantCeilingIsSharedByItsEndpoints() {
    EngineFixture fixture = dumbbell(3);
    join(fixture, "one", 1, 1);
    join(fixture, "held", 1, 2, 3);
    share(fixture, tenant("one"));
    share(fixture, tenant("held").weight(9).ceilingBitsPerSecond(20_000_000));
    send(fixture, 30, 10, 10);
    assertThat(part(1)).isCloseTo(30, ABOUT);
    assertThat(part(2)).isCloseTo(10, ABOUT);
  }

  @Test
  void eachEndpointOfADividedTenantCountsAsATenant() {
    EngineFixture fixture = dumbbell(4);
    join(fixture, "one", 1, 1);
    join(fixture, "three", 1, 2, 3, 4);
    share(fixture, tenant("three"));
    send(fixture, 25, 8.33, 8.33, 8.33);
    fixture.engine.divideTenant(TenantId.of("three"));
    send(fixture, 12.5, 12.5, 12.5, 12.5);
    assertThat(part(1)).isCloseTo(PORT_MBITS / 4, ABOUT);
    assertThat(part(2)).isCloseTo(PORT_MBITS / 4, ABOUT);
  }

  /**
   * Port 1 of 616 is shared 8 : 1 with endpoint 1, port 2 of 234 with endpoints 4 and 5. While the
   * third sibling sends, port 2 leaves the two that cross both 26 each, so that either could have
   * more at port 1 than half of its tenant's part. When it pauses they have 39 each there, more
   * than port 1 leaves them: all that changes at port 2 is how their tenant's part is divided.
   */
  @Test
  void sharesAreRecomputedWhenTheDivisionAtAnotherPortChanges() {
    EngineFixture fixture = new EngineFixture().portOf(1, 616).portOf(2, 234).endpointAt(9);
    for (int n = 1; n <= 6; n++) {
      fixture.endpointAt(n);
    }
    fixture.path(1, 9, 1).path(2, 9, 1, 2).path(3, 9, 1, 2);
    fixture.path(4, 9, 2).path(5, 9, 2).path(6, 9, 2);
    join(fixture, "heavy", 1, 1);
    join(fixture, "both", 1, 2, 3, 6);
    join(fixture, "one", 1, 4);
    join(fixture, "other", 1, 5);
    share(fixture, tenant("heavy").weight(8));
    share(fixture, tenant("both"));
    share(fixture, tenant("one"));
    share(fixture, tenant("other"));
    for (int i = 0; i < 100; i++) {
      fixture.traffic(1, 9, 235, 5).traffic(2, 9, 11, 0).traffic(3, 9, 11, 0);
      fixture.traffic(4, 9, 32, 1).traffic(5, 9, 32, 1).traffic(6, 9, 11, 0).tick();
    }
    for (int i = 0; i < 100; i++) {
      fixture.traffic(1, 9, 224, 5).traffic(2, 9, 16, 0).traffic(3, 9, 16, 0);
      fixture.traffic(4, 9, 32, 1).traffic(5, 9, 32, 1).tick();
      fixture.sharesTo(2).stream()
          .filter(share -> share.port().equals(EngineFixture.port(1)))
          .forEach(share -> published.put(2, share));
    }
    assertThat(part(2)).isCloseTo(616 / 9.0 / 2, within(0.4));
  }
}

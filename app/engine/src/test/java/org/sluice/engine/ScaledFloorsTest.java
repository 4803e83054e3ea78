// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.sluice.api.JournalEntry;
import org.sluice.api.JournalEntry.Kind;
import org.sluice.api.PortStatus;
import org.sluice.api.SluiceException;
import org.sluice.api.Tenant;
import org.sluice.api.TenantId;
import org.sluice.api.link.EndpointProfile;
import org.sluice.engine.control.PortUse;
import org.sluice.engine.control.ScaledFloors;

/** Guarantees that do not fit into a port of the core: 30 Mbit/s for each of two, in one of 50. */
class ScaledFloorsTest {
  private static final long GUARANTEE = 30 * EngineFixture.MBIT;

  private EngineFixture fixture;

  @BeforeEach
  void twoTenantsAndAThird() throws SluiceException {
    fixture = EngineFixture.dumbbell(3);
    join("gold", 1, GUARANTEE);
    join("blue", 2, GUARANTEE);
    join("plain", 3, 0);
  }

  private void join(String name, int n, long guarantee) throws SluiceException {
    TenantId tenant = TenantId.of(name);
    fixture.engine.putEndpoint(
        EndpointProfile.of(EngineFixture.endpoint(n), tenant, 1, 0, 0, false),
        Set.of(EngineFixture.ip(n)));
    fixture.engine.shareTenant(Tenant.builder(tenant).guaranteeBitsPerSecond(guarantee).build());
  }

  /** These send, and the port marks. */
  private void send(long millis, int... senders) {
    for (long passed = 0; passed < millis; passed += 5) {
      for (int n : senders) {
        fixture.traffic(n, 9, 5, 1);
      }
      fixture.tick();
    }
  }

  private List<String> journaled() {
    return fixture.journaled(Kind.FLOORS_SCALED).stream()
        .map(JournalEntry::decision)
        .collect(Collectors.toList());
  }

  @Test
  void arePublishedWithTheirEndpoints() {
    send(100, 1, 2, 3);
    assertThat(fixture.engine.scaledFloors()).hasSize(1);
    ScaledFloors scaled = fixture.engine.scaledFloors().get(0);
    assertThat(scaled.port()).isEqualTo(EngineFixture.port(1));
    assertThat(scaled.floorsBitsPerSecond()).isEqualTo(2 * GUARANTEE);
    assertThat(scaled.capacityBitsPerSecond()).isEqualTo(EngineFixture.capacity(50));
    assertThat(scaled.tenants()).extracting(TenantId::name).containsExactly("blue", "gold");
    assertThat(scaled.scale()).isCloseTo(0.9 / 0.985 * 50 / 60, within(1e-6));
  }

  @Test
  void portStatusHasThemAndTheWeightsOfTenants() throws SluiceException {
    fixture.engine.shareTenant(Tenant.builder(TenantId.of("plain")).weight(21).build());
    send(100, 1, 2, 3);
    PortStatus status = fixture.status(1);
    assertThat(status.floorScale()).isCloseTo(0.9 / 0.985 * 50 / 60, within(1e-6));
    assertThat(status.scaledTenants()).extracting(TenantId::name).containsExactly("blue", "gold");
    assertThat(status.activeWeight()).as("of tenants, not of their endpoints").isEqualTo(23);
    assertThat(fixture.status(2).floorScale()).isEqualTo(1);
    assertThat(fixture.status(2).activeWeight()).as("not under control").isZero();
  }

  @Test
  void distinguishesWhatIsDueByGuaranteeFromWeight() throws SluiceException {
    fixture.engine.shareTenant(Tenant.builder(TenantId.of("plain")).weight(8).build());
    fixture.engine.shareTenant(Tenant.builder(TenantId.of("blue")).build());
    send(500, 1, 2, 3);
    PortUse gold = fixture.engine.uses(EngineFixture.endpoint(1)).get(0);
    assertThat(gold.dueBitsPerSecond() / 1e6).isCloseTo(30, within(0.1));
    assertThat(gold.dueByWeightBitsPerSecond()).isLessThan(3 * EngineFixture.MBIT);
    PortUse blue = fixture.engine.uses(EngineFixture.endpoint(2)).get(0);
    assertThat(blue.dueByWeightBitsPerSecond()).isEqualTo(blue.dueBitsPerSecond());
  }

  @Test
  void singleFloorIsNotScaled() {
    send(100, 1, 3);
    assertThat(fixture.engine.scaledFloors()).isEmpty();
    assertThat(journaled()).isEmpty();
  }

  @Test
  void beginAndEndAreJournaled() {
    send(100, 1, 2, 3);
    assertThat(journaled())
        .containsExactly("floors are scaled to 0.76 of what is guaranteed to tenants blue, gold");
    JournalEntry began = fixture.journaled(Kind.FLOORS_SCALED).get(0);
    assertThat(began.port()).contains(EngineFixture.port(1));
    assertThat(began.evidence()).contains("60 Mbit/s of 50.761421 Mbit/s");

    send(2_000, 1, 3);
    assertThat(journaled()).hasSize(2).last().isEqualTo("floors are not scaled any more");
    assertThat(fixture.engine.scaledFloors()).isEmpty();
  }

  @Test
  void endWithoutActiveEndpoints() {
    send(100, 1, 2);
    fixture.pass(3_000);
    assertThat(journaled()).hasSize(2);
    assertThat(fixture.engine.scaledFloors()).isEmpty();
  }

  /** Another node is the switch's master while they are still scaled. */
  @Test
  void endWithThePortsControl() {
    send(100, 1, 2);
    fixture.foreignPorts.add(EngineFixture.port(1));
    fixture.authorityChanged();
    send(100, 1, 2);
    assertThat(fixture.journaled(Kind.CONTROL_ENDED)).hasSize(1);
    assertThat(journaled()).hasSize(2).last().isEqualTo("floors are not scaled any more");
    assertThat(fixture.journaled(Kind.FLOORS_SCALED).get(1).evidence()).isEqualTo("control ends");
    assertThat(fixture.engine.scaledFloors()).isEmpty();
  }

  /** A reader can follow it. */
  @Test
  void areJournaledOnceASecondAtMost() {
    for (int i = 0; i < 5; i++) {
      send(250, 1, 2);
      send(250, 1);
    }
    assertThat(journaled()).hasSizeBetween(1, 3);
  }
}

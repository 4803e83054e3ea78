// SPDX-License-Identifier: Apache-2.0
package org.sluice.api.access;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.sluice.api.JournalEntry;
import org.sluice.api.PortId;
import org.sluice.api.TenantId;
import org.sluice.api.deadline.DeadlineSummary;
import org.sluice.api.deadline.FlowState;
import org.sluice.api.deadline.LossCounts;

class CallerTest {
  private static final TenantId GOLD = TenantId.of("gold");
  private static final TenantId RED = TenantId.of("red");

  private static Caller with(String... roles) {
    return Caller.of(Set.of(roles)::contains);
  }

  @ParameterizedTest
  @CsvSource({
    "admin, ADMIN",
    "admin viewer sluice-tenant, ADMIN",
    "viewer sluice-tenant, VIEWER",
    "sluice-tenant, TENANT",
    "sluice-tenant-gold, NONE",
    "sluice-deadlines, NONE",
    "manager, NONE",
  })
  void mostPowerfulRoleApplies(String roles, Caller.Role expected) {
    assertThat(with(roles.split(" ")).role()).isEqualTo(expected);
  }

  @Test
  void tenantUserSeesItsOwnTenantAlone() {
    Caller gold = with("sluice-tenant", "sluice-tenant-gold");
    assertThat(gold.sees(GOLD)).isTrue();
    assertThat(gold.sees(RED)).isFalse();
    assertThat(gold.sees(TenantId.DEFAULT)).isFalse();
    assertThat(gold.sees(TenantId.of("gold2"))).isFalse();
    assertThat(gold.sees(TenantId.of("gol"))).isFalse();
    assertThat(gold.seesAll()).isFalse();
    assertThat(gold.changesAll()).isFalse();
    assertThat(with("sluice-tenant").sees(GOLD)).isFalse();
    assertThat(with("viewer").sees(RED)).isTrue();
  }

  @Test
  void tenantRoleWithoutTheBaseRoleGrantsNothing() {
    Caller half = with("sluice-tenant-gold", "sluice-deadlines");
    assertThat(half.owns(GOLD)).isFalse();
    assertThat(half.sees(GOLD)).isFalse();
    assertThat(half.registersDeadlines()).isFalse();
  }

  @Test
  void deadlinesNeedTheRoleAndTheTenant() {
    assertThat(with("admin").registersDeadlinesOf(RED)).isTrue();
    assertThat(with("viewer").registersDeadlines()).isFalse();
    assertThat(with("sluice-tenant", "sluice-tenant-gold").registersDeadlinesOf(GOLD)).isFalse();
    Caller gold = with("sluice-tenant", "sluice-tenant-gold", "sluice-deadlines");
    assertThat(gold.registersDeadlinesOf(GOLD)).isTrue();
    assertThat(gold.registersDeadlinesOf(RED)).isFalse();
    assertThat(with("viewer", "sluice-deadlines").registersDeadlinesOf(RED)).isFalse();
  }

  @Test
  void tenantUserSeesJournalEntriesOfItsTenantAlone() {
    Caller gold = with("sluice-tenant", "sluice-tenant-gold");
    assertThat(gold.sees(entry(Optional.of(GOLD)))).isTrue();
    assertThat(gold.sees(entry(Optional.of(RED)))).isFalse();
    assertThat(gold.sees(entry(Optional.empty()))).isFalse();
    assertThat(with("viewer").sees(entry(Optional.empty()))).isTrue();
    assertThat(with().sees(entry(Optional.of(GOLD)))).isFalse();
  }

  private static JournalEntry entry(Optional<TenantId> tenant) {
    return JournalEntry.of(
        1,
        Instant.EPOCH,
        JournalEntry.Kind.DEADLINE,
        "",
        Optional.empty(),
        Optional.empty(),
        tenant,
        "decision",
        "evidence");
  }

  @Test
  void tenantUserSeesItsOwnCountsOfASummary() {
    PortId port = PortId.of("of:0000000000000001", 5);
    DeadlineSummary all =
        DeadlineSummary.of(
            Map.of(GOLD, Map.of(FlowState.MET, 1L), RED, Map.of(FlowState.MISSED, 2L)),
            List.of(DeadlineSummary.CongestedPort.of(port, 14_600)),
            5,
            4,
            LossCounts.of(9, 2, 8, 3));
    assertThat(with("viewer").seen(all)).isEqualTo(all);
    assertThat(with("sluice-tenant", "sluice-tenant-gold").seen(all))
        .isEqualTo(
            DeadlineSummary.of(
                Map.of(GOLD, Map.of(FlowState.MET, 1L)), List.of(), 0, 0, LossCounts.NONE));
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.law;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.sluice.api.EndpointId;
import org.sluice.api.HostId;
import org.sluice.api.PortId;
import org.sluice.api.SluiceException;
import org.sluice.api.TenantId;
import org.sluice.engine.law.GuaranteeAdmission.Demand;

class GuaranteeAdmissionTest {
  private static final TenantId RED = TenantId.of("red");
  private static final TenantId BLUE = TenantId.of("blue");
  private static final HostId HOST = HostId.of("h1");
  private static final PortId EDGE = PortId.of("s", 1);

  /** Each endpoint has a guarantee by itself. */
  private final Admission admission = admission(false);

  /** A guarantee is a tenant's as a whole. */
  private final Admission shared = admission(true);

  private interface Admission {
    void check(TenantId tenant, List<Demand> demands) throws SluiceException;
  }

  private static Admission admission(boolean isShared) {
    return (tenant, demands) ->
        new GuaranteeAdmission(
                isShared, Map.of(HOST, 100_000_000L), Map.of(EDGE, 50_000_000L), demands)
            .check(tenant);
  }

  private static Demand demand(String nic, TenantId tenant, boolean behindEdge, long mbits) {
    return new Demand(
        EndpointId.of(HOST, nic),
        tenant,
        behindEdge ? Optional.of(EDGE) : Optional.empty(),
        mbits * 1_000_000);
  }

  @Test
  void guaranteesUpToNinetyPercentAreAdmitted() {
    assertThatCode(
            () ->
                admission.check(
                    RED, List.of(demand("a", RED, false, 45), demand("b", BLUE, false, 45))))
        .doesNotThrowAnyException();
  }

  @Test
  void excessOnANicIsRejectedWithItsName() {
    assertThatThrownBy(
            () ->
                admission.check(
                    RED,
                    List.of(
                        demand("a", RED, false, 31),
                        demand("b", RED, false, 31),
                        demand("c", BLUE, false, 30))))
        .isInstanceOfSatisfying(
            SluiceException.class,
            refusal -> {
              assertThat(refusal.kind()).isEqualTo(SluiceException.Kind.CONFLICT);
              assertThat(refusal.field()).contains("guaranteeBitsPerSecond");
              assertThat(refusal.value()).isEqualTo("31000000");
              assertThat(refusal.getMessage())
                  .isEqualTo(
                      "The guarantees behind the NIC of host h1 would add up to 92 Mbit/s,"
                          + " more than 90 % of its 100 Mbit/s");
              assertThat(refusal.remedy())
                  .isEqualTo(
                      "Guarantee at most 30 Mbit/s (30000000 bit/s) to each endpoint: the tenant has 2"
                          + " endpoints there. Or move endpoints");
            });
  }

  @Test
  void sharedTenantNeedsItsGuaranteeOncePerHost() {
    assertThatCode(
            () ->
                shared.check(
                    RED,
                    List.of(
                        demand("a", RED, true, 30),
                        demand("b", RED, true, 30),
                        demand("c", RED, true, 30),
                        demand("d", BLUE, false, 60))))
        .doesNotThrowAnyException();
  }

  @Test
  void sharedTenantsMustFitTogether() {
    assertThatThrownBy(
            () ->
                shared.check(
                    RED,
                    List.of(
                        demand("a", RED, false, 31),
                        demand("b", RED, false, 31),
                        demand("c", BLUE, false, 60),
                        demand("d", BLUE, false, 60))))
        .isInstanceOfSatisfying(
            SluiceException.class,
            refusal -> {
              assertThat(refusal.value()).isEqualTo("31000000");
              assertThat(refusal.getMessage())
                  .isEqualTo(
                      "The guarantees behind the NIC of host h1 would add up to 91 Mbit/s,"
                          + " more than 90 % of its 100 Mbit/s");
              assertThat(refusal.remedy())
                  .isEqualTo(
                      "Guarantee at most 30 Mbit/s (30000000 bit/s): the tenant has 2 endpoints there."
                          + " Or move all of them");
            });
  }

  @Test
  void edgePortCapacityBoundsGuarantees() {
    assertThatThrownBy(() -> admission.check(RED, List.of(demand("a", RED, true, 46))))
        .isInstanceOf(SluiceException.class)
        .hasMessageContaining("edge port s/1")
        .hasMessageContaining("46 Mbit/s");
  }

  @Test
  void remedyLeadsToAdmission() {
    assertThatCode(() -> admission.check(RED, List.of(demand("a", RED, true, 45))))
        .doesNotThrowAnyException();
  }

  @Test
  void missingCapacityIsReported() {
    assertThatThrownBy(
            () ->
                admission.check(
                    RED, List.of(demand("a", RED, false, 1), demand("b", BLUE, false, 95))))
        .isInstanceOfSatisfying(
            SluiceException.class,
            refusal ->
                assertThat(refusal.remedy()).startsWith("Guarantee at most 0 Mbit/s (0 bit/s)"));
  }

  @Test
  void overcommitmentByOtherTenantsRejectsNoUnrelatedTenant() {
    assertThatCode(
            () ->
                admission.check(
                    RED, List.of(demand("a", RED, false, 0), demand("b", BLUE, false, 95))))
        .doesNotThrowAnyException();
  }

  @Test
  void unknownCapacityIsNoBound() {
    GuaranteeAdmission blind =
        new GuaranteeAdmission(
            false, Map.of(), Map.of(), List.of(demand("a", RED, true, 1_000_000)));
    assertThatCode(() -> blind.check(RED)).doesNotThrowAnyException();
  }
}

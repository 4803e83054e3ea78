// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.profile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.sluice.core.testing.Samples.endpoint;

import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.sluice.api.IpPrefix;
import org.sluice.api.Member;
import org.sluice.api.Tenant;
import org.sluice.api.TenantId;
import org.sluice.api.link.EndpointProfile;
import org.sluice.api.link.ReportedEndpoint;
import org.sluice.core.tenant.TenantDirectories;
import org.sluice.core.tenant.TenantDirectory;

class ProfileTableTest {
  private static final TenantId T1 = TenantId.of("t1");
  private static final ReportedEndpoint LIGHT = endpoint("h1/vm0", "02:00:00:00:01:01", "10.0.0.1");
  private static final ReportedEndpoint HEAVY = endpoint("h2/vm0", "02:00:00:00:01:02", "10.0.0.2");
  private static final ReportedEndpoint STRANGER =
      endpoint("h1/vm1", "02:00:00:00:01:03", "10.9.0.1");

  private TenantDirectory directory;

  @BeforeEach
  void setTenant() throws Exception {
    directory =
        TenantDirectories.of(
            Tenant.builder(T1)
                .weight(2)
                .guaranteeBitsPerSecond(40_000_000)
                .ceilingBitsPerSecond(90_000_000)
                .members(
                    List.of(
                        Member.ofPrefix(IpPrefix.parse("10.0.0.0/24")),
                        Member.ofPrefix(IpPrefix.parse("10.0.0.2/32")).withWeight(3)))
                .build());
  }

  private ProfileTable table(boolean isShared) {
    return new ProfileTable(List.of(LIGHT, HEAVY, STRANGER), directory, isShared);
  }

  private static EndpointProfile profile(ReportedEndpoint endpoint, double weight, long guarantee) {
    return profile(endpoint, weight, guarantee, 90_000_000);
  }

  private static EndpointProfile profile(
      ReportedEndpoint endpoint, double weight, long guarantee, long ceiling) {
    return EndpointProfile.of(endpoint.id(), T1, weight, guarantee, ceiling, false);
  }

  @Test
  void engineGetsEndpointWeightsWithinTheTenant() {
    ProfileTable table = table(true);
    assertThat(table.profile(LIGHT.id())).isEqualTo(profile(LIGHT, 1, 0));
    assertThat(table.profile(HEAVY.id())).isEqualTo(profile(HEAVY, 3, 0));
    assertThat(table.profile(STRANGER.id()).tenant()).isEqualTo(TenantId.DEFAULT);
    assertThat(table.tenants())
        .extracting(Tenant::id)
        .containsExactlyInAnyOrder(TenantId.DEFAULT, T1);
  }

  @Test
  void hostGetsTheTenantsWeightDividedByEndpointWeights() {
    ProfileTable table = table(true);
    assertThat(table.hostProfile(LIGHT.id()))
        .isEqualTo(profile(LIGHT, 0.5, 10_000_000, 22_500_000));
    assertThat(table.hostProfile(HEAVY.id()))
        .isEqualTo(profile(HEAVY, 1.5, 30_000_000, 67_500_000));
    assertThat(table.hostProfile(STRANGER.id()).weight()).as("alone in its tenant").isEqualTo(1);
  }

  @Test
  void eachEndpointHasTheTenantsProfileWithShareEndpoint() {
    ProfileTable table = table(false);
    assertThat(table.profile(HEAVY.id())).isEqualTo(profile(HEAVY, 2, 40_000_000));
    assertThat(table.hostProfile(LIGHT.id())).isEqualTo(profile(LIGHT, 2, 40_000_000));
  }
}

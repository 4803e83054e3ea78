// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.profile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.sluice.core.testing.Samples.endpoint;
import static org.sluice.core.testing.Samples.hello;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.sluice.api.HostId;
import org.sluice.api.IpPrefix;
import org.sluice.api.Member;
import org.sluice.api.Tenant;
import org.sluice.api.TenantId;
import org.sluice.api.link.EndpointProfile;
import org.sluice.api.link.HostEvent;
import org.sluice.api.link.ReportedEndpoint;
import org.sluice.api.link.UplinkMessage;
import org.sluice.core.journal.NodeJournal;
import org.sluice.core.registry.EndpointRegistry;
import org.sluice.core.registry.RegistryFixture;
import org.sluice.core.spi.Epoch;
import org.sluice.core.tenant.Membership;
import org.sluice.core.tenant.TenantDirectories;
import org.sluice.core.tenant.TenantDirectory;
import org.sluice.core.testing.FakeLink;
import org.sluice.core.testing.VirtualTime;

/** Five hosts of four endpoints each, of three tenants, which share. */
class HostProfilesTest {
  private static final int HOSTS = 5;
  private static final int ENDPOINTS = 4;

  private final VirtualTime time = new VirtualTime();
  private final FakeLink link = new FakeLink();
  private final EndpointRegistry registry =
      new RegistryFixture(link, new NodeJournal(time), time).endpoints;

  /** How many endpoints' tenants were looked up. */
  private int looks;

  private HostProfiles profiles;
  private TenantDirectory directory;

  @BeforeEach
  void connect() throws Exception {
    directory = counting(TenantDirectories.of(tenant(0), tenant(1), tenant(2)));
    for (int host = 0; host < HOSTS; host++) {
      List<ReportedEndpoint> list = new ArrayList<>();
      for (int nic = 0; nic < ENDPOINTS; nic++) {
        list.add(nic(host, nic, nic % 3));
      }
      link.connect(hello("h" + host, list.toArray(ReportedEndpoint[]::new)));
    }
    profiles = new HostProfiles(registry, directory);
    profiles.follow(true);
    looks = 0;
  }

  private static Tenant tenant(int number) throws Exception {
    return Tenant.builder(TenantId.of("t" + number))
        .weight(number + 1)
        .members(
            List.of(
                Member.ofPrefix(IpPrefix.parse("10." + number + ".0.0/16")),
                Member.ofPrefix(IpPrefix.parse("10." + number + ".1.0/24")).withWeight(3)))
        .build();
  }

  private TenantDirectory counting(TenantDirectory tenants) {
    return new TenantDirectory() {
      @Override
      public Epoch epoch() {
        return tenants.epoch();
      }

      @Override
      public Tenant tenantOf(ReportedEndpoint endpoint) {
        return tenants.tenantOf(endpoint);
      }

      @Override
      public Membership membershipOf(ReportedEndpoint endpoint) {
        looks++;
        return tenants.membershipOf(endpoint);
      }
    };
  }

  private static ReportedEndpoint nic(int host, int nic, int tenant) {
    return nic(host, nic, "10." + tenant + "." + host + "." + nic);
  }

  private static ReportedEndpoint nic(int host, int nic, String ip) {
    return endpoint(
        "h" + host + "/vm" + nic, String.format("02:00:00:00:%02x:%02x", host, nic), ip);
  }

  private void report(int host, List<ReportedEndpoint> list) {
    link.report(
        UplinkMessage.ofEvent(
            HostEvent.of(HostId.of("h" + host), HostEvent.Kind.ENDPOINTS_CHANGED, "", list)));
  }

  @Test
  void addressesThatSwapConcernTheirHostAlone() {
    report(
        2,
        List.of(
            nic(2, 0, "10.0.2.0"),
            nic(2, 1, "10.1.2.1"),
            nic(2, 2, "10.2.2.2"),
            nic(2, 3, "10.0.2.9")));

    assertThat(profiles.follow(true)).containsExactly(HostId.of("h2"));
    assertThat(looks).isEqualTo(1);
  }

  @Test
  void newcomerConcernsItsTenantsHosts() {
    report(3, List.of(nic(3, 0, 0), nic(3, 1, 1), nic(3, 2, 2), nic(3, 3, 0), nic(3, 4, 2)));

    assertThat(profiles.follow(true)).hasSize(HOSTS);
    assertThat(looks).isEqualTo(1);
    assertThat(profiles.follow(true)).isEmpty();
  }

  @Test
  void profilesAreThoseOfATableOfAllEndpoints() {
    Random random = new Random(14);
    for (int step = 0; step < 500; step++) {
      List<ReportedEndpoint> list = new ArrayList<>();
      int host = random.nextInt(HOSTS);
      for (int nic = 0; nic < ENDPOINTS; nic++) {
        if (random.nextInt(5) > 0) {
          list.add(nic(host, nic, random.nextInt(4)));
        }
      }
      report(host, list);
      boolean isShared = random.nextInt(20) > 0;
      profiles.follow(isShared);
      ProfileTable table = new ProfileTable(registry.reported(), directory, isShared);
      List<EndpointProfile> all = new ArrayList<>();
      for (int each = 0; each < HOSTS; each++) {
        all.addAll(profiles.ofHost(HostId.of("h" + each)));
      }
      assertThat(all)
          .as("step " + step)
          .isEqualTo(
              registry.reported().stream()
                  .map(endpoint -> table.hostProfile(endpoint.id()))
                  .collect(Collectors.toList()));
    }
  }
}

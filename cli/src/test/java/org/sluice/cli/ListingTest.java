// SPDX-License-Identifier: Apache-2.0
package org.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.sluice.api.Endpoint;
import org.sluice.api.EndpointId;
import org.sluice.api.EndpointTraffic;
import org.sluice.api.Host;
import org.sluice.api.HostId;
import org.sluice.api.IpAddress;
import org.sluice.api.JournalEntry;
import org.sluice.api.MacAddress;
import org.sluice.api.PortId;
import org.sluice.api.PortLimit;
import org.sluice.api.PortStatus;
import org.sluice.api.Tenant;
import org.sluice.api.TenantId;
import org.sluice.api.TenantRates;
import org.sluice.api.counters.CounterSource;

class ListingTest {
  private static final PortId PORT = PortId.parse("of:0000000000000001/5");
  private static final Map<String, CounterSource> SOURCES =
      Map.of(PORT.datapath(), CounterSource.FAST);
  private static final EndpointId VM = EndpointId.of(HostId.of("h1"), "vm0");

  @Test
  void alignsTenantsAndTheirFigures() throws Exception {
    Tenant plain = Tenant.builder(TenantId.DEFAULT).build();
    Tenant full =
        Tenant.builder(TenantId.of("t1"))
            .weight(2.5)
            .guaranteeBitsPerSecond(5_000_000)
            .ceilingBitsPerSecond(40_500_000)
            .receiveCeilingBitsPerSecond(20_000_000)
            .preserveEcn(true)
            .members(
                List.of(
                    TenantChange.member("--member", "10.1.0.0/16"),
                    TenantChange.member("--member", "02:00:00:00:01:01"),
                    TenantChange.member("--member", "h1/vm0=2")))
            .build();
    assertThat(Listings.TENANTS.table(List.of(plain, full)))
        .isEqualTo(
            String.join(
                System.lineSeparator(),
                "TENANT   WEIGHT  GUARANTEE Mbit/s  CEILING Mbit/s  RECEIVE CEILING Mbit/s  ECN    "
                    + "   MEMBERS",
                "default       1                 0               0                       0  clear  "
                    + "   -",
                "t1          2.5                 5            40.5                      20 "
                    + " preserve  10.1.0.0/16, 02:00:00:00:01:01, h1/vm0=2"));
    assertThat(Listings.TENANTS.json(List.of(full)).toString())
        .isEqualTo(
            "{\"tenants\":[{\"id\":\"t1\",\"weight\":2.5,\"guaranteeBitsPerSecond\":5000000,\"ceilingBitsPerSecond\":40500000,\"receiveCeilingBitsPerSecond\":20000000,"
                + "\"ecn\":\"preserve\",\"members\":[{\"ipPrefix\":\"10.1.0.0/16\"},"
                + "{\"mac\":\"02:00:00:00:01:01\"},{\"host\":\"h1\",\"interface\":\"vm0\",\"weight\":2}]}]}");
  }

  @Test
  void listsGuaranteesBesideDeliveredRates() throws Exception {
    Tenant gold = Tenant.builder(TenantId.of("gold")).guaranteeBitsPerSecond(30_000_000).build();
    Listing<Tenant> listing =
        Listings.tenants(id -> TenantRates.of(id.equals(gold.id()) ? 30_000_000 : 0, 20_987_654));
    assertThat(listing.table(List.of(Tenant.builder(TenantId.DEFAULT).build(), gold)))
        .isEqualTo(
            String.join(
                System.lineSeparator(),
                "TENANT   WEIGHT  GUARANTEE Mbit/s  CEILING Mbit/s  RECEIVE CEILING Mbit/s  ECN   "
                    + " MEMBERS  PROMISED Mbit/s  DELIVERED Mbit/s  AMISS",
                "default       1                 0               0                       0  clear "
                    + " -                      -                21  -",
                "gold          1                30               0                       0  clear "
                    + " -                     30                21  -"));
    assertThat(listing.json(List.of(gold)).toString())
        .endsWith(
            "\"members\":[],\"promisedBitsPerSecond\":30000000,"
                + "\"deliveredBitsPerSecond\":20987654,\"refusedIps\":[],\"scaledFloors\":[]}]}");

    EndpointId id = EndpointId.parse("h1/vm0");
    Set<IpAddress> refused = Set.of(IpAddress.parse("10.0.0.7"));
    Listing<Tenant> amiss =
        Listings.tenants(any -> TenantRates.of(0, 0, 0, Map.of(id, refused), Map.of(PORT, 0.75)));
    assertThat(amiss.table(List.of(gold)))
        .endsWith("  h1/vm0: 10.0.0.7 refused, has 0.75 of its guarantee at " + PORT);
    assertThat(amiss.json(List.of(gold)).toString())
        .endsWith(
            "\"refusedIps\":[{\"endpoint\":\"h1/vm0\",\"ip\":\"10.0.0.7\"}],"
                + "\"scaledFloors\":[{\"port\":\"of:0000000000000001/5\",\"scale\":0.75}]}]}");
  }

  @Test
  void listsEndpoints() {
    Endpoint limited =
        endpoint(Optional.of(PORT), 50_000_000, PortLimit.of(PORT, 12_500_000, 0.45));
    Endpoint free = endpoint(Optional.empty(), 0);
    assertThat(
            Listings.endpoints(PortId::toString)
                .table(List.of(limited, free))
                .split(System.lineSeparator()))
        .containsExactly(
            "ENDPOINT  TENANT   MAC                IPS                 ATTACHMENT"
                + "             LIMIT Mbit/s  DELIVERED Mbit/s  HELD BACK  AT CONGESTED PORTS",
            "h1/vm0    default  02:00:00:00:01:01  10.0.0.1, 10.0.0.2  of:0000000000000001/5"
                + "            50                 0  no         12.5 at of:0000000000000001/5",
            "h1/vm0    default  02:00:00:00:01:01  10.0.0.1, 10.0.0.2  -                    "
                + "             -                 0  no         -");
    Endpoint cutOff = free.withRefusedIps(Map.of(IpAddress.parse("10.0.0.7"), "it is h2/vm0's"));
    assertThat(Listings.endpoints(PortId::toString).table(List.of(cutOff)))
        .contains("10.0.0.1, 10.0.0.2, 10.0.0.7 (refused)");
    assertThat(Listings.endpoints(PortId::toString).json(List.of(cutOff)).toString())
        .contains("\"refusedIps\":[\"10.0.0.7\"]");
    assertThat(Listings.endpoints(PortId::toString).json(List.of(free)).toString())
        .contains("\"attachment\":null,\"limitBitsPerSecond\":null", "\"limits\":[]");
    assertThat(Listings.endpoints(PortId::toString).json(List.of(limited)).toString())
        .contains(
            "\"limits\":[{\"port\":\"of:0000000000000001/5\",\"rateBitsPerSecond\":12500000,"
                + "\"ceShare\":0.45}]");
  }

  @Test
  void showsWhatNoAgentReportsAsNotKnown() {
    Endpoint unreported =
        Endpoint.of(
            EndpointId.of(HostId.of("h1"), "vm0"),
            MacAddress.parse("02:00:00:00:01:01"),
            Set.of(),
            TenantId.DEFAULT,
            Optional.empty(),
            0,
            List.of(),
            EndpointTraffic.UNKNOWN);
    Listing<Endpoint> endpoints = Listings.endpoints(PortId::toString);
    assertThat(endpoints.table(List.of(unreported)))
        .containsPattern("not known +not known +not known");
    assertThat(endpoints.json(List.of(unreported)).toString())
        .contains(
            "\"deliveredBitsPerSecond\":null", "\"backlogBytes\":null,\"droppedPackets\":null");
  }

  @Test
  void showsPortNames() {
    PortStatus port =
        PortStatus.builder(PORT)
            .name(Optional.of("leaf1:eth5"))
            .capacityBitsPerSecond(50_000_000)
            .capacitySource(PortStatus.CapacitySource.CONFIGURED)
            .loadBitsPerSecond(49_123_456)
            .unitShareBitsPerSecond(12_345_678)
            .build();
    assertThat(Listings.ports(SOURCES).table(List.of(port)))
        .contains("leaf1:eth5 (of:0000000000000001/5)", " 49.1 ", " 12.3 ");
    assertThat(Listings.ports(SOURCES).json(List.of(port)).toString())
        .contains("\"name\":\"leaf1:eth5\"", "\"loadBitsPerSecond\":49123456");
    Listing<Endpoint> endpoints =
        Listings.endpoints(id -> PortId.label(id, Optional.of("leaf1:eth5")));
    Endpoint limited =
        endpoint(Optional.of(PORT), 50_000_000, PortLimit.of(PORT, 12_500_000, 0.45));
    assertThat(endpoints.table(List.of(limited)))
        .contains("  leaf1:eth5 (of:0000000000000001/5)  ")
        .endsWith("  12.5 at leaf1:eth5 (of:0000000000000001/5)");
    assertThat(endpoints.json(List.of(limited)).toString())
        .contains("\"attachment\":\"of:0000000000000001/5\"", "\"port\":\"of:0000000000000001/5\"");
    JournalEntry entry =
        JournalEntry.of(
                7,
                Instant.ofEpochMilli(1_234),
                JournalEntry.Kind.UNIT_SHARE,
                "sluice",
                Optional.of(PORT),
                Optional.empty(),
                Optional.empty(),
                "12.5 Mbit/s",
                "4 active")
            .withPortName(Optional.of("leaf1:eth5"));
    assertThat(Listings.JOURNAL.table(List.of(entry)))
        .contains("1970-01-01T00:00:01.234Z", "leaf1:eth5 (of:0000000000000001/5)");
  }

  @Test
  void listsPorts() {
    PortStatus port =
        PortStatus.builder(PORT)
            .capacityBitsPerSecond(50_000_000)
            .capacitySource(PortStatus.CapacitySource.CONFIGURED)
            .congested(true)
            .marksFrom(PortStatus.MarkSource.METERS)
            .ceShare(1 / 3.0)
            .activeWeight(1e3)
            .build();
    assertThat(Listings.ports(SOURCES).json(List.of(port)).toString())
        .isEqualTo(
            "{\"ports\":[{\"id\":\"of:0000000000000001/5\",\"name\":null,\"capacityBitsPerSecond\":50000000,"
                + "\"capacitySource\":\"configured\",\"congested\":true,\"estimated\":false,"
                + "\"marksFrom\":\"meters\",\"ceShare\":0.3333,\"loadBitsPerSecond\":0,\"unitShareBitsPerSecond\":null,\"activeEndpoints\":0,"
                + "\"activeWeight\":1000,\"floorScale\":1,\"scaledTenants\":[],\"countersFrom\":\"fast\"}]}");
    assertThat(Listings.ports(SOURCES).table(List.of(port))).contains("yes", "no", "0.3333");
  }

  @Test
  void listsHosts() {
    Host host =
        Host.builder(HostId.of("h1"))
            .agentVersion("1.2.3")
            .connected(false)
            .uplink("up0")
            .uplinkCapacityBitsPerSecond(50_000_000)
            .lastSeen(Instant.EPOCH)
            .endpointCount(1)
            .build();
    assertThat(
            Listings.hosts(PortId::toString).table(List.of(host)).split(System.lineSeparator())[1])
        .isEqualTo(
            "h1    no         1.2.3  up0                  50          1  -                "
                + "1970-01-01T00:00:00.000Z  -                                0  -");
    assertThat(
            Listings.hosts(PortId::toString).table(List.of(host.toBuilder().stopped(true).build())))
        .contains("no (stopped)");
  }

  @Test
  void listsPortAgents() {
    Host host =
        Host.builder(HostId.of("wire"))
            .agentVersion("1.2.3")
            .connected(true)
            .uplink("")
            .uplinkCapacityBitsPerSecond(0)
            .switchPorts(List.of(PORT))
            .lastSeen(Instant.EPOCH)
            .endpointCount(0)
            .build();
    assertThat(Listings.hosts(PortId::toString).json(List.of(host)).toString())
        .isEqualTo(
            "{\"hosts\":[{\"id\":\"wire\",\"connected\":true,\"stopped\":false,\"agentVersion\":\"1.2.3\","
                + "\"uplink\":null,\"uplinkCapacityBitsPerSecond\":0,\"endpointCount\":0,"
                + "\"switchPorts\":[\"of:0000000000000001/5\"],"
                + "\"lastSeen\":\"1970-01-01T00:00:00.000Z\",\"missingFeatures\":[],"
                + "\"residualDroppedPackets\":0,\"residualExceededBy\":[]}]}");
  }

  @Test
  void listsTheJournal() {
    JournalEntry entry =
        JournalEntry.of(
            7,
            Instant.EPOCH,
            JournalEntry.Kind.UNIT_SHARE,
            "",
            Optional.of(PORT),
            Optional.of(VM),
            Optional.of(TenantId.of("red")),
            "12.5 Mbit/s",
            "4 active");
    assertThat(Listings.JOURNAL.table(List.of(entry)).split(System.lineSeparator())[1])
        .isEqualTo(
            "     7  1970-01-01T00:00:00.000Z  unit-share  -    of:0000000000000001/5  h1/vm0  "
                + "  12.5 Mbit/s  4 active");
    assertThat(Listings.JOURNAL.json(List.of(entry)).toString())
        .contains("\"endpoint\":\"h1/vm0\",\"tenant\":\"red\"");
  }

  @Test
  void reportsAnEmptyListing() {
    assertThat(Listings.hosts(PortId::toString).table(List.of())).isEqualTo("There are no hosts.");
    assertThat(Listings.hosts(PortId::toString).json(List.of()).toString())
        .isEqualTo("{\"hosts\":[]}");
  }

  private static Endpoint endpoint(Optional<PortId> attachment, long rate, PortLimit... limits) {
    Set<IpAddress> ips = Set.of(IpAddress.parse("10.0.0.2"), IpAddress.parse("10.0.0.1"));
    MacAddress mac = MacAddress.parse("02:00:00:00:01:01");
    return Endpoint.of(VM, mac, ips, TenantId.DEFAULT, attachment, rate, List.of(limits));
  }
}

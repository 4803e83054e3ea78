// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.doctor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.sluice.api.Finding.Severity.ERROR;
import static org.sluice.api.Finding.Severity.NOTE;
import static org.sluice.api.Finding.Severity.WARNING;

import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.sluice.api.Endpoint;
import org.sluice.api.EndpointId;
import org.sluice.api.Finding;
import org.sluice.api.Host;
import org.sluice.api.HostId;
import org.sluice.api.IpAddress;
import org.sluice.api.IpPrefix;
import org.sluice.api.MacAddress;
import org.sluice.api.Member;
import org.sluice.api.PortId;
import org.sluice.api.PortStatus;
import org.sluice.api.SluiceException;
import org.sluice.api.Tenant;
import org.sluice.api.TenantId;
import org.sluice.api.cluster.ClusterStatus;
import org.sluice.api.cluster.NodeStatus;
import org.sluice.api.counters.CounterSource;
import org.sluice.api.counters.SwitchCounters;
import org.sluice.api.policy.HostHints;
import org.sluice.api.policy.PolicyFinding;
import org.sluice.core.doctor.Condition.PortCondition;
import org.sluice.core.doctor.Condition.SwitchCondition;
import org.sluice.core.sampling.SampleCounts;
import org.sluice.core.sampling.SampleLoss;
import org.sluice.core.setting.Parameters;
import org.sluice.core.setting.Setting;
import org.sluice.core.setting.SettingTable;
import org.sluice.core.setting.Settings;
import org.sluice.core.spi.Symptom;
import org.sluice.core.testing.FakeDiagnosis;
import org.sluice.engine.control.ScaledFloors;

class FindingsTest {
  private static final String S1 = "of:0000000000000001";
  private static final PortId EDGE = PortId.of(S1, 1);
  private static final PortId CORE = PortId.of(S1, 5);
  private static final PortId FAR = PortId.of("of:0000000000000002", 5);
  private static final long GIGABIT = 1_000_000_000;

  /** Any that can be read: another one would be refused when it is set. */
  private static final String FILE = Path.of("pom.xml").toAbsolutePath().toString();

  private static final String OTHER_FILE = Path.of("src").toAbsolutePath().toString();
  private static final Instant NOW = Instant.ofEpochSecond(1_000_000);
  private static final Host H1 =
      Host.builder(HostId.of("h1"))
          .agentVersion("1.2.3")
          .connected(true)
          .uplink("up0")
          .uplinkCapacityBitsPerSecond(GIGABIT)
          .lastSeen(NOW)
          .endpointCount(1)
          .build();
  private static final Endpoint VM0 = endpoint("vm0", "10.1.0.1", "gold");

  private static Parameters linked() {
    return Parameters.defaults()
        .with(SettingTable.AGENT_LINK_KEY, FILE)
        .with(SettingTable.AGENT_LINK_CERTIFICATE, FILE)
        .with(SettingTable.AGENT_LINK_TRUST, FILE);
  }

  private static <T> Parameters linkedAnd(Setting<T> setting, T value) {
    return linked().with(setting, value);
  }

  private static Endpoint endpoint(String name, String ip, String tenant) {
    return Endpoint.of(
        EndpointId.of(HostId.of("h1"), name),
        MacAddress.parse("02:00:00:00:01:01"),
        Set.of(IpAddress.parse(ip)),
        TenantId.of(tenant),
        Optional.of(EDGE),
        0);
  }

  private static Tenant tenant(String id, UnaryOperator<Tenant.Builder> change) {
    try {
      return change.apply(Tenant.builder(TenantId.of(id))).build();
    } catch (SluiceException e) {
      throw new AssertionError(e);
    }
  }

  private static Tenant gold(String... prefixes) {
    return tenant(
        "gold",
        t ->
            t.members(
                Arrays.stream(prefixes)
                    .map(prefix -> Member.ofPrefix(IpPrefix.parse(prefix)))
                    .collect(Collectors.toList())));
  }

  private static SwitchCounters counters(long requests, long timeouts, long p99Micros) {
    return SwitchCounters.builder(S1)
        .source(CounterSource.FAST)
        .connected(true)
        .requests(requests)
        .timeouts(timeouts)
        .replyMicrosP99(p99Micros)
        .build();
  }

  private static SwitchCondition s1(SwitchCounters counters) {
    return SwitchCondition.of(S1, Optional.of("n1"), true).withCounters(Optional.of(counters));
  }

  private static PortStatus status(long capacity, long load) {
    return PortStatus.builder(CORE)
        .capacityBitsPerSecond(capacity)
        .capacitySource(PortStatus.CapacitySource.CONFIGURED)
        .loadBitsPerSecond(load)
        .build();
  }

  /** Nothing is wrong with it. */
  private static final Condition WELL =
      Condition.builder()
          .unenforcedCaps(List.of())
          .policyFault(Optional.empty())
          .hostHints(List.of())
          .samplingFault("")
          .sampleCounts(SampleCounts.NONE)
          .recentSampleLosses(Map.of())
          .now(NOW)
          .version("1.2.3")
          .platform(new FakeDiagnosis())
          .parameters(linked())
          .unreadableFiles(List.of())
          .accessFault("")
          .filesFault("")
          .cluster(ClusterStatus.of(List.of(), ""))
          .clockAheadMicros(0)
          .switchesAwaited(true)
          .switches(List.of(s1(counters(10_000, 2, 1_000))))
          .symptoms(List.of())
          .ports(
              List.of(
                  PortCondition.of(EDGE, GIGABIT, Optional.empty()),
                  PortCondition.of(CORE, GIGABIT, Optional.of(FAR))))
          .portStatuses(List.of(status(GIGABIT, GIGABIT)))
          .scaledFloors(List.of())
          .hosts(List.of(H1))
          .refusedPairs(Map.of())
          .refusedSettings(List.of())
          .tenants(List.of(tenant("default", t -> t), gold("10.1.0.0/16")))
          .endpoints(List.of(VM0))
          .silentEndpoints(List.of())
          .refusedAddresses(Map.of())
          .learnedStrangers(Map.of())
          .build();

  @Test
  void wrongPropertiesAreNamedUntilTheyAreMended() {
    Settings settings = new Settings(warning -> {});
    settings.read(Map.of("law", "nosuch")::get);
    List<Finding> found = of(c -> c.refusedSettings(settings.refusals()));
    assertThat(found).extracting(Finding::about).containsExactly("settings");
    assertThat(found.get(0).what()).startsWith("Property law = 'nosuch' is refused");

    settings.read(Map.of("law", "nosuch", "share", "tenant")::get);
    assertThat(settings.refusals()).as("until then").hasSize(1);
    settings.read(Map.of("law", "sluice")::get);
    assertThat(settings.refusals()).isEmpty();
  }

  private static List<Finding> of(UnaryOperator<Condition.Builder> change) {
    return Doctor.findings(change.apply(WELL.toBuilder()).build());
  }

  private static void one(
      UnaryOperator<Condition.Builder> change,
      Finding.Severity severity,
      String about,
      String what,
      String remedy) {
    List<Finding> found = of(change);
    assertThat(found).as("%s", found).hasSize(1);
    assertThat(found.get(0).severity()).isEqualTo(severity);
    assertThat(found.get(0).about()).isEqualTo(about);
    assertThat(found.get(0).what()).contains(what);
    assertThat(found.get(0).remedy()).contains(remedy);
  }

  @Test
  void healthyInstallationHasNoFinding() {
    assertThat(of(c -> c)).isEmpty();
    assertThat(of(c -> c.version(""))).isEmpty();
  }

  @Test
  void reportsFindingsOfThePlatform() {
    Finding own = Finding.of(WARNING, "platform", "It is not as it should be", "mend it");
    assertThat(of(c -> c.platform(platformThatFinds(own)))).containsExactly(own);
  }

  private static FakeDiagnosis platformThatFinds(Finding finding) {
    FakeDiagnosis platform = new FakeDiagnosis();
    platform.findings.add(finding);
    return platform;
  }

  @Test
  void reportsObstaclesToAgentConnections() {
    one(
        c -> c.parameters(Parameters.defaults().with(SettingTable.AGENT_LINK_KEY, FILE)),
        ERROR,
        "agent link",
        "off",
        "set agentLinkCertificate FILE.pem; set agentLinkTrust FILE.pem");
    one(
        c ->
            c.parameters(linkedAnd(SettingTable.AGENT_LINK_KEY, OTHER_FILE))
                .unreadableFiles(List.of(OTHER_FILE)),
        ERROR,
        "agent link",
        "cannot read " + OTHER_FILE + ", its agentLinkKey",
        "chmod 0400 " + OTHER_FILE);
    one(c -> c.hosts(List.of()).endpoints(List.of(VM0)), WARNING, "agent link", "No agent", "6680");
  }

  private static HostHints.Builder hints(String host, HostHints.State state) {
    return HostHints.builder(HostId.of(host)).group("web").revision(7).state(state);
  }

  @Test
  void reportsHostsWithoutPolicies() {
    one(
        c ->
            c.policyFault(
                Optional.of(
                    PolicyFinding.of("policies", "mine", "They are too many", "Use fewer"))),
        ERROR,
        "policies",
        "They are too many",
        "Use fewer");
    one(
        c ->
            c.hostHints(
                List.of(
                    hints("h1", HostHints.State.IN_FORCE).build(),
                    hints("h2", HostHints.State.UNANSWERED).build(),
                    hints("h3", HostHints.State.SENT).build())),
        WARNING,
        "policies",
        "1 host of groups with policies uses no hints: h2",
        "a section hints in /etc/sluice/agent.yaml");
    one(
        c ->
            c.hostHints(
                List.of(
                    hints("h1", HostHints.State.REFUSED)
                        .refused(List.of("congestion control bbr: not loaded"))
                        .build())),
        WARNING,
        "host h1",
        "bbr: not loaded",
        "sluice-agent probe");
    one(
        c -> c.hostHints(List.of(hints("h1", HostHints.State.SENT).leftOutGroups(3).build())),
        WARNING,
        "host h1",
        "towards 3 groups are left out",
        "policies for groups");
  }

  @Test
  void reportsDisabledEnforcement() {
    one(
        c -> c.parameters(linkedAnd(SettingTable.ENFORCEMENT, false)),
        NOTE,
        "enforcement",
        "limit nothing",
        "set enforcement on");
    one(
        c -> c.parameters(linkedAnd(SettingTable.FAST_COUNTERS, false)).switchesAwaited(false),
        NOTE,
        "fast counters",
        "off",
        "set fastCounters on");
    one(
        c -> c.switchesAwaited(false),
        ERROR,
        "fast counters",
        "TCP port 6654 cannot be bound",
        "set fastCountersPort PORT");
  }

  @ParameterizedTest
  @CsvSource({
    "FOREIGN, '5 datagrams of addresses that are not listed dropped, the last of 192.0.2.9',"
        + " 'set sflowAgents 192.0.2.1,192.0.2.9; else keep it from UDP port 6343'",
    "OVER_QUOTA, '5 datagrams beyond what a switch may send dropped, the last of 192.0.2.9',"
        + " 'sample fewer packets'",
    "MALFORMED, '5 malformed datagrams dropped, the last of 192.0.2.9', 'sFlow version 5'",
    "MALFORMED_SAMPLE, '5 malformed samples skipped, the last of 192.0.2.9', 'sFlow version 5'",
    "KERNEL, '5 datagrams dropped by the kernel', 'sysctl -w net.core.rmem_max=16777216'",
    "LEFT_OUT, '5 reports of flows ignored', 'sample fewer packets'",
  })
  void namesSamplesThatAreLost(SampleLoss reason, String text, String remedy) {
    IpAddress sender = IpAddress.parse("192.0.2.9");
    SampleCounts counts = SampleCounts.of(Map.of(reason, 5L), Map.of(reason, sender), true);
    one(
        c ->
            c.parameters(
                    linkedAnd(SettingTable.SFLOW_PORT, 6343)
                        .with(SettingTable.SFLOW_AGENTS, List.of(IpAddress.parse("192.0.2.1"))))
                .sampleCounts(counts)
                .recentSampleLosses(counts.lost()),
        WARNING,
        "sflow",
        text,
        remedy);
  }

  @Test
  void reportsCapacitiesOfPortsThatNobodyHas() {
    List<Symptom> absent = new ArrayList<>();
    for (int port = 9; port > 2; port--) {
      absent.add(Symptom.of(Symptom.Kind.NO_SUCH_PORT, S1, S1 + "/" + port));
    }
    one(
        c -> c.symptoms(absent),
        WARNING,
        S1,
        S1 + "/7 and 2 more, but no switch has these ports",
        "show NO_SUCH_PORT of " + S1);
  }

  @Test
  void reportsSwitchesOfOtherMasters() {
    one(
        c -> c.switches(List.of(SwitchCondition.of(S1, Optional.empty(), false))),
        ERROR,
        S1,
        "No controller node",
        "elect a master");
    one(
        c -> c.switches(List.of(SwitchCondition.of(S1, Optional.of("n2"), false))),
        NOTE,
        "node n2",
        S1,
        "node n2");
  }

  @Test
  void reportsSlowCounters() {
    one(
        c -> c.switches(List.of(s1(counters(10_000, 101, 1_000)))),
        WARNING,
        S1,
        "101 of 10000 requests given up",
        "ovs-vswitchd");
    one(
        c -> c.switches(List.of(s1(counters(10_000, 0, 60_000)))),
        WARNING,
        S1,
        "within 60 ms",
        "ovs-vswitchd");
  }

  @ParameterizedTest
  @CsvSource({
    "NO_RULES,ERROR,none of Sluice's rules,show NO_RULES of of:0000000000000001",
    "NO_SECOND_TABLE,ERROR,first table only,set forwarding other",
    "NO_METERS,WARNING,takes no meter,protocols=OpenFlow13",
    "NO_ECN,WARNING,ip_ecn,ip_ecn",
    "RULE_PENDING,WARNING,1 rule not confirmed,show RULE_PENDING of of:0000000000000001",
    "METER_PENDING,WARNING,1 meter not confirmed,show METER_PENDING of of:0000000000000001",
    "SLOW_COUNTERS,WARNING,second controller,sluice-switch-setup",
  })
  void namesEachSymptomOfASwitch(
      Symptom.Kind kind, Finding.Severity severity, String what, String remedy) {
    one(c -> c.symptoms(List.of(Symptom.of(kind, S1, "1"))), severity, S1, what, remedy);
  }

  @Test
  void causingSymptomReplacesItsConsequences() {
    one(
        c ->
            c.symptoms(
                List.of(
                    Symptom.of(Symptom.Kind.NO_ECN, S1),
                    Symptom.of(Symptom.Kind.RULE_PENDING, S1, "1"),
                    Symptom.of(Symptom.Kind.RULE_PENDING, S1, "2"))),
        WARNING,
        S1,
        "ip_ecn",
        "");
    assertThat(
            of(
                c ->
                    c.symptoms(
                        List.of(
                            Symptom.of(Symptom.Kind.RULE_PENDING, S1, "1"),
                            Symptom.of(Symptom.Kind.RULE_PENDING, S1, "2")))))
        .extracting(Finding::what)
        .containsExactly("2 rules not confirmed by the switch");
  }

  @Test
  void reportsUnknownAndImpossibleCapacities() {
    one(
        c -> c.ports(List.of(PortCondition.of(CORE, 0, Optional.empty()))),
        WARNING,
        S1,
        CORE.toString(),
        "configure " + CORE);
    one(
        c ->
            c.ports(
                List.of(
                    PortCondition.of(CORE, GIGABIT / 20, Optional.of(FAR)),
                    PortCondition.of(FAR, GIGABIT, Optional.of(CORE)))),
        WARNING,
        FAR.toString(),
        "1000 Mbit/s, that of the link's other end " + CORE + " 50 Mbit/s",
        "configure " + FAR);
    one(
        c -> c.portStatuses(List.of(status(GIGABIT, GIGABIT * 6 / 5))),
        WARNING,
        CORE.toString(),
        "1200 Mbit/s, more than its capacity of 1000",
        "configure " + CORE);
    one(
        c -> c.hosts(List.of(H1.toBuilder().uplinkCapacityBitsPerSecond(10 * GIGABIT).build())),
        WARNING,
        "host h1",
        "10000 Mbit/s",
        "uplink.capacityMbps: 1000");
  }

  @Test
  void reportsRefusedAndLearnedAddresses() {
    IpAddress ip = IpAddress.parse("10.0.0.1");
    one(
        c -> c.refusedAddresses(Map.of(VM0.id(), Map.of(ip, "the configuration has it as x"))),
        WARNING,
        "endpoint h1/vm0",
        "does not get the addresses it claims: 10.0.0.1 (the configuration has it as x)",
        "\"addresses\"");
    one(
        c -> c.learnedStrangers(Map.of(VM0.id(), ip)),
        WARNING,
        "endpoint h1/vm0",
        "10.0.0.1 lies in a tenant's prefix",
        "--member h1/vm0");
  }

  @Test
  void reportsAnUnreadableListOfHosts() {
    one(
        c -> c.accessFault("agentLinkHosts 'f:3': This is no host's name"),
        ERROR,
        "agent link",
        "those read last stay in effect: agentLinkHosts 'f:3'",
        "every 5 s");
  }

  @Test
  void reportsFilesOfTheLinkThatCannotBeReadAnew() {
    one(
        c -> c.filesFault("keyFile 'c.key': There is no private key"),
        ERROR,
        "agent link",
        "goes on with what was read last: keyFile 'c.key'",
        "every 5 s");
  }

  @Test
  void reportsCertificatesThatEndWithin30Days() {
    Instant late = NOW.plus(Duration.ofDays(30));
    Instant soon = late.minusSeconds(1);
    Host host = H1.toBuilder().certificateNotAfter(Optional.of(soon)).build();
    String days = "ends in 29 days, on 1970-02-11T13:46:39Z";
    one(c -> c.hosts(List.of(host)), WARNING, "host h1", "Its certificate " + days, "on h1");
    one(
        c -> c.certificateNotAfter(Optional.of(soon)),
        WARNING,
        "agent link",
        "The controller's certificate " + days,
        "agentLinkCertificate and agentLinkKey");
    one(
        c -> c.authorityNotAfter(Optional.of(soon)),
        WARNING,
        "agent link",
        "(agentLinkTrust) " + days,
        "tls.ca");
    Host well = H1.toBuilder().certificateNotAfter(Optional.of(late)).build();
    assertThat(
            of(
                c ->
                    c.hosts(List.of(well))
                        .certificateNotAfter(Optional.of(late))
                        .authorityNotAfter(Optional.of(late))))
        .isEmpty();
  }

  @Test
  void reportsCertificatesThatHaveEnded() {
    Optional<Instant> ended = Optional.of(NOW.minusSeconds(1));
    Host host = H1.toBuilder().certificateNotAfter(ended).build();
    String what = "ended on 1970-01-12T13:46:39Z: no session can begin";
    one(c -> c.hosts(List.of(host)), ERROR, "host h1", what, "on h1");
    one(c -> c.certificateNotAfter(ended), ERROR, "agent link", what, "on every node");
    one(c -> c.authorityNotAfter(ended), ERROR, "agent link", what, "tls.ca");
  }

  @Test
  void reportsThatTheStoreDoesNotAnswer() {
    one(
        c -> c.cluster(ClusterStatus.of(List.of(), "no majority")),
        ERROR,
        "cluster's store",
        "cannot be changed here: no majority",
        "this one reach them");
  }

  private static ClusterStatus node(UnaryOperator<NodeStatus.Builder> is) {
    return ClusterStatus.of(List.of(is.apply(NodeStatus.builder("n2")).build()), "");
  }

  @Test
  void reportsNodesOfTheClusterThatAreSilentOrHaveNoRest() {
    one(
        c -> c.cluster(node(n -> n.state(NodeStatus.State.SILENT).silentSeconds(40))),
        ERROR,
        "node n2",
        "has not reported there for 40 s",
        "On n2");
    one(
        c -> c.cluster(node(n -> n.webFault("REST is not there"))),
        ERROR,
        "node n2",
        "REST is not there",
        "On n2");
    one(
        c -> c.cluster(node(n -> n.clockOffMillis(-3_600_000))).clockAheadMicros(2_000_000),
        ERROR,
        "node n2",
        "3600 s behind those of most nodes: it does not lead",
        "NTP");
    assertThat(of(c -> c.cluster(node(n -> n.clockOffMillis(999))))).isEmpty();
  }

  @Test
  void reportsAClockThatIsOff() {
    one(c -> c.clockAheadMicros(3_600_000_000L), WARNING, "clock", "3600 s ahead of", "NTP");
    one(c -> c.clockAheadMicros(-2_500_000), WARNING, "clock", "2 s behind", "NTP");
    assertThat(of(c -> c.clockAheadMicros(-999_999))).isEmpty();
  }

  @Test
  void reportsQuarantinedHostsAndHostsWithTooManyPairs() {
    one(
        c -> c.hosts(List.of(H1.toBuilder().quarantine("9000 addresses; at most 8192").build())),
        ERROR,
        "host h1",
        "in quarantine, with its last shares: 9000 addresses",
        "ends 30 s after");
    one(
        c -> c.refusedPairs(Map.of(HostId.of("h1"), 12L)),
        WARNING,
        "host h1",
        "12 samples ignored",
        "sluice-agent status");
  }

  @Test
  void reportsDisconnectedOutdatedAndLimitedAgents() {
    one(
        c ->
            c.hosts(
                List.of(H1.toBuilder().connected(false).lastSeen(NOW.minusSeconds(600)).build())),
        ERROR,
        "host h1",
        "10 minutes",
        "systemctl restart sluice-agent");
    one(
        c -> c.hosts(List.of(H1.toBuilder().agentVersion("0.0.9").build())),
        WARNING,
        "host h1",
        "0.0.9",
        "dpkg -i sluice-agent_1.2.3_amd64.deb");
    one(
        c -> c.hosts(List.of(H1.toBuilder().missingFeatures(List.of("htb: no limits")).build())),
        WARNING,
        "host h1",
        "htb: no limits",
        "sluice-agent probe");
    one(
        c -> c.hosts(List.of(H1.toBuilder().residualExceededBy(List.of("vm0", "vm3")).build())),
        WARNING,
        "host h1",
        "vm0, vm3 lastingly exceed",
        "sluice-agent status");
    one(
        c -> c.hosts(List.of(H1.toBuilder().conditions(List.of("vm9: too many")).build())),
        WARNING,
        "host h1",
        "vm9: too many",
        "sluice-agent status");
  }

  @Test
  void reportsTenantsWithoutMembersAndMembersWithoutEndpoints() {
    one(
        c ->
            c.tenants(
                List.of(tenant("default", t -> t), gold("10.1.0.0/16"), tenant("idle", t -> t))),
        WARNING,
        "tenant idle",
        "no members",
        "sluice-tenant-remove idle");
    one(
        c -> c.tenants(List.of(tenant("default", t -> t), gold("10.1.0.0/16", "10.9.0.0/16"))),
        NOTE,
        "tenant gold",
        "Its member 10.9.0.0/16 matches no endpoint",
        "sluice-tenant-set gold --member 10.1.0.0/16");
  }

  @Test
  void remediesAreThePlatformsCommands() {
    FakeDiagnosis platform = new FakeDiagnosis();
    platform.hasShell = false;
    assertThat(
            of(
                c ->
                    c.platform(platform)
                        .hosts(List.of(H1.toBuilder().connected(false).build()))
                        .endpoints(List.of(VM0, endpoint("vm1", "10.2.0.1", "default")))
                        .tenants(
                            List.of(
                                tenant("default", t -> t),
                                gold("10.9.0.0/16"),
                                tenant("idle", t -> t)))))
        .extracting(Finding::remedy)
        .anyMatch(remedy -> remedy.endsWith("sluicectl delete host h1"))
        .anyMatch(remedy -> remedy.endsWith("sluicectl delete tenant idle"))
        .anyMatch(remedy -> remedy.contains("sluicectl get endpoints lists"))
        .anyMatch(remedy -> remedy.startsWith("sluicectl set tenant TENANT --member h1/vm1"))
        .noneMatch(remedy -> remedy.matches(".*sluice-(tenant|host|endpoints|doctor).*"));
  }

  @Test
  void reportsEndpointsWithoutTenantOnceTenantsExist() {
    Endpoint stray = endpoint("vm1", "10.2.0.1", "default");
    one(
        c -> c.endpoints(List.of(VM0, stray)),
        NOTE,
        "tenant default",
        "1 endpoint in no tenant of its own: h1/vm1",
        "--member h1/vm1");
    assertThat(of(c -> c.tenants(List.of(tenant("default", t -> t))).endpoints(List.of(stray))))
        .isEmpty();
  }

  @Test
  void reportsManyEndpointsThatOnlyTheirHostHasSeen() {
    Tenant named =
        tenant("gold", t -> t.members(List.of(Member.ofPrefix(IpPrefix.parse("10.1.0.0/16")))));
    List<Tenant> tenants = List.of(tenant("default", t -> t), named);
    List<Endpoint> ghosts = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      ghosts.add(unseen("tap" + i, "10.1.0." + i));
    }
    assertThat(of(c -> c.tenants(tenants).endpoints(ghosts))).isEmpty();
    ghosts.add(unseen("tap8", "10.1.0.8"));
    one(
        c -> c.tenants(tenants).endpoints(ghosts),
        WARNING,
        "host h1",
        "9 endpoints that it reports joined tenants by their addresses or what it says of them, and no switch has seen",
        "the host lies");
  }

  private static Endpoint unseen(String name, String ip) {
    Endpoint seen = endpoint(name, ip, "gold");
    return Endpoint.of(seen.id(), seen.mac(), seen.ips(), seen.tenant(), Optional.empty(), 0);
  }

  @Test
  void reportsInfeasibleGuarantees() {
    UnaryOperator<Tenant.Builder> promised =
        t ->
            t.guaranteeBitsPerSecond(GIGABIT / 2)
                .members(List.of(Member.ofPrefix(IpPrefix.parse("10.1.0.0/16"))));
    List<Tenant> tenants = List.of(tenant("default", t -> t), tenant("gold", promised));
    List<Endpoint> two = List.of(VM0, endpoint("vm1", "10.1.0.2", "gold"));
    assertThat(of(c -> c.tenants(tenants))).isEmpty();
    assertThat(of(c -> c.tenants(tenants).endpoints(two))).isEmpty();
    one(
        c ->
            c.parameters(linkedAnd(SettingTable.SHARE, SettingTable.Share.ENDPOINT))
                .tenants(tenants)
                .endpoints(two),
        ERROR,
        "tenant gold",
        "1000 Mbit/s, more than 90 %",
        "sluice-tenant-set gold --guarantee");
    one(
        c ->
            c.tenants(tenants)
                .hosts(List.of(H1.toBuilder().uplinkCapacityBitsPerSecond(1).build())),
        WARNING,
        "tenant gold",
        "far below its edge port's capacity",
        "uplink.capacityMbps");
    List<Tenant> both = List.of(tenants.get(0), tenants.get(1), tenant("blue", blue(promised)));
    assertThat(
            of(c -> c.tenants(both).endpoints(List.of(VM0, endpoint("vm1", "10.2.0.2", "blue")))))
        .hasSize(1)
        .allMatch(finding -> finding.severity() == ERROR)
        .allMatch(finding -> finding.what().contains("1000 Mbit/s, more than 90 %"));
  }

  @Test
  void reportsPortsWithScaledFloors() {
    List<TenantId> tenants = List.of(TenantId.of("blue"), TenantId.of("gold"));
    one(
        c -> c.scaledFloors(List.of(new ScaledFloors(CORE, 1_200_000_000, GIGABIT, tenants))),
        WARNING,
        CORE.toString(),
        "tenants blue, gold come to 1200 Mbit/s there, more than 90 % of its 1000 Mbit/s: each has"
            + " 0.75 of its floor",
        "sluice-tenant-set blue --guarantee");
  }

  /** The same beside other members. */
  private static UnaryOperator<Tenant.Builder> blue(UnaryOperator<Tenant.Builder> promised) {
    return t -> promised.apply(t).members(List.of(Member.ofPrefix(IpPrefix.parse("10.2.0.0/16"))));
  }

  @Test
  void findingsAreSortedBySeverity() {
    assertThat(
            of(
                c ->
                    c.parameters(linkedAnd(SettingTable.ENFORCEMENT, false))
                        .platform(platformThatFinds(Finding.of(WARNING, "it", "", "")))
                        .switchesAwaited(false)))
        .extracting(Finding::severity)
        .containsExactly(ERROR, WARNING, NOTE);
  }
}

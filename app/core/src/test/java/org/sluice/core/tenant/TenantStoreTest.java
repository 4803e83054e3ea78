// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.tenant;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.sluice.core.testing.Samples.endpoint;
import static org.sluice.core.testing.Samples.hello;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.sluice.api.EndpointId;
import org.sluice.api.Expectation;
import org.sluice.api.HostId;
import org.sluice.api.IpPrefix;
import org.sluice.api.JournalEntry;
import org.sluice.api.MacAddress;
import org.sluice.api.Member;
import org.sluice.api.PortId;
import org.sluice.api.SluiceException;
import org.sluice.api.Tenant;
import org.sluice.api.TenantAdminService;
import org.sluice.api.TenantId;
import org.sluice.api.TenantSetChange;
import org.sluice.api.link.HostHello;
import org.sluice.core.journal.NodeJournal;
import org.sluice.core.registry.FixedCapacities;
import org.sluice.core.registry.RegistryFixture;
import org.sluice.core.setting.Settings;
import org.sluice.core.spi.ReplicatedMap;
import org.sluice.core.testing.FakeLink;
import org.sluice.core.testing.MemoryStorage;
import org.sluice.core.testing.VirtualTime;

class TenantStoreTest {
  private static final PortId EDGE = PortId.parse("of:0000000000000001/1");
  private static final TenantId T1 = TenantId.of("t1");
  private static final TenantId T2 = TenantId.of("t2");
  private static final long MEGABIT = 1_000_000;

  private final Settings settings = new Settings(warning -> {});
  private final VirtualTime time = new VirtualTime();
  private final MemoryStorage storage = new MemoryStorage();
  private final FakeLink link = new FakeLink();
  private final NodeJournal journal = new NodeJournal(time);
  private final RegistryFixture registry = new RegistryFixture(link, journal, time);

  /** Endpoints that are behind no port. */
  private final Set<EndpointId> unseen = new HashSet<>();

  private TenantStore store;

  @BeforeEach
  void start() {
    store = node();
  }

  private TenantStore node() {
    TenantStore node =
        new TenantStore(
            settings,
            storage,
            registry.endpoints,
            endpoint -> Optional.of(EDGE).filter(edge -> !unseen.contains(endpoint.id())),
            registry.hosts,
            new FixedCapacities(Map.of(EDGE, 100 * MEGABIT)),
            journal);
    node.start();
    return node;
  }

  private static Tenant.Builder tenant(TenantId id, String... prefixes) {
    return Tenant.builder(id)
        .members(
            Stream.of(prefixes)
                .map(prefix -> Member.ofPrefix(IpPrefix.parse(prefix)))
                .collect(Collectors.toList()));
  }

  private static SluiceException refusal(org.assertj.core.api.ThrowableAssert.ThrowingCallable c) {
    return catchThrowableOfType(SluiceException.class, c);
  }

  @Test
  void defaultTenantAlwaysExists() {
    assertThat(store.tenants()).extracting(Tenant::id).containsExactly(TenantId.DEFAULT);
    SluiceException refusal = refusal(() -> store.remove(TenantId.DEFAULT));
    assertThat(refusal.kind()).isEqualTo(SluiceException.Kind.CONFLICT);
  }

  @Test
  void putsReplacesAndRemoves() throws Exception {
    Tenant tenant = tenant(T1, "10.0.0.1/32").weight(2).preserveEcn(true).build();

    assertThat(store.put(tenant)).isTrue();
    assertThat(store.put(tenant.toBuilder().weight(3).build())).isFalse();
    assertThat(store.tenant(T1)).map(Tenant::weight).contains(3.0);

    store.remove(T1);
    assertThat(store.tenant(T1)).isEmpty();
    assertThat(refusal(() -> store.remove(T1)).kind()).isEqualTo(SluiceException.Kind.NOT_FOUND);
  }

  @Test
  void createRefusesAnIdThatExists() throws Exception {
    store.create(tenant(T1, "10.0.0.1/32").build());

    SluiceException refusal = refusal(() -> store.create(tenant(T1, "10.0.0.2/32").build()));

    assertThat(refusal.kind()).isEqualTo(SluiceException.Kind.CONFLICT);
    assertThat(refusal.field()).contains("id");
  }

  @Test
  void tenantsAreVisibleOnOtherNodesAndAfterARestart() throws Exception {
    TenantStore other = node();
    Tenant tenant =
        Tenant.builder(T1)
            .members(List.of(Member.ofPrefix(IpPrefix.parse("10.0.0.1/32")).withWeight(0.3)))
            .weight(2.5)
            .guaranteeBitsPerSecond(1_234_567)
            .ceilingBitsPerSecond(9 * MEGABIT)
            .preserveEcn(true)
            .build();
    long epoch = other.epoch().get();

    store.put(tenant);

    assertThat(other.tenant(T1)).contains(tenant);
    assertThat(other.epoch().get()).isGreaterThan(epoch);
    assertThat(node().tenant(T1)).contains(tenant);
  }

  @Test
  void concurrentChangesAreBothKept() throws Exception {
    TenantStore other = node();
    store.put(tenant(T1, "10.0.0.1/32").weight(2).build());
    List<Double> seen = new ArrayList<>();

    Tenant now =
        store.change(
            T1,
            present -> {
              seen.add(present.orElseThrow().weight());
              if (seen.size() == 1) {
                other.change(T1, theirs -> theirs.orElseThrow().toBuilder().weight(3).build());
              }
              return present.orElseThrow().toBuilder().ceilingBitsPerSecond(9).build();
            });

    assertThat(seen).containsExactly(2.0, 3.0);
    assertThat(now.weight()).isEqualTo(3);
    assertThat(now.ceilingBitsPerSecond()).isEqualTo(9);
    assertThat(store.tenant(T1)).contains(now);
    assertThat(other.tenant(T1)).contains(now);
  }

  @Test
  void concurrentChangesOfATenantLoseNothing() throws Exception {
    int each = 20;
    store.put(tenant(T1, "10.0.0.1/32").weight(1).build());
    List<Callable<Void>> changers = new ArrayList<>();
    for (TenantStore node : List.of(store, node(), node())) {
      changers.add(
          () -> {
            for (int i = 0; i < each; i++) {
              node.change(
                  T1,
                  present -> {
                    Tenant before = present.orElseThrow();
                    return before.toBuilder().weight(before.weight() + 1).build();
                  });
            }
            return null;
          });
    }
    ExecutorService threads = Executors.newFixedThreadPool(changers.size());
    try {
      for (Future<Void> done : threads.invokeAll(changers)) {
        done.get();
      }
    } finally {
      threads.shutdownNow();
    }
    assertThat(store.tenant(T1)).map(Tenant::weight).contains(1.0 + each * changers.size());
  }

  @Test
  void changeMayCreateATenantAndIsValidated() throws Exception {
    link.connect(hello("h1", endpoint("h1/vm0", "02:00:00:00:01:01", "10.0.0.1")));
    Tenant.Builder wanted = tenant(T1, "10.0.0.1/32");

    store.change(T1, present -> present.isPresent() ? null : wanted.build());

    assertThat(store.tenant(T1)).contains(wanted.build());
    SluiceException refusal =
        refusal(() -> store.change(T1, t -> wanted.guaranteeBitsPerSecond(46 * MEGABIT).build()));
    assertThat(refusal.kind()).isEqualTo(SluiceException.Kind.CONFLICT);
    assertThat(store.tenant(T1).orElseThrow().guaranteeBitsPerSecond()).isZero();
    assertThat(
            refusal(
                    () ->
                        store.change(
                            T2,
                            present ->
                                present.orElseThrow(
                                    () -> SluiceException.notFound("id", T2, "None"))))
                .kind())
        .isEqualTo(SluiceException.Kind.NOT_FOUND);
  }

  @Test
  void infeasibleGuaranteeIsRejectedAndChangesNothing() throws Exception {
    link.connect(hello("h1", endpoint("h1/vm0", "02:00:00:00:01:01", "10.0.0.1")));
    link.connect(hello("h2", endpoint("h2/vm0", "02:00:00:00:01:02", "10.0.0.2")));
    store.put(tenant(T1, "10.0.0.1/32").guaranteeBitsPerSecond(45 * MEGABIT).build());

    // 45 of the NIC's 50 Mbit/s are 90 %; one bit more is too much.
    Tenant nic = tenant(T1, "10.0.0.1/32").guaranteeBitsPerSecond(45 * MEGABIT + 1).build();
    assertThat(refusal(() -> store.put(nic)).kind()).isEqualTo(SluiceException.Kind.CONFLICT);
    assertThat(store.tenant(T1).orElseThrow().guaranteeBitsPerSecond()).isEqualTo(45 * MEGABIT);

    // Both share an edge port of 100 Mbit/s: 45 + 45 fits exactly.
    store.put(tenant(T2, "10.0.0.2/32").guaranteeBitsPerSecond(45 * MEGABIT).build());
    assertThat(store.tenants()).hasSize(3);
  }

  /** A ghost with a free address of the tenant's prefix, behind a NIC of 1 bit/s. */
  private void connectLiar() {
    link.connect(hello("h1", endpoint("h1/vm0", "02:00:00:00:01:01", "10.0.0.1")));
    link.connect(
        HostHello.of(
            HostId.of("liar"),
            "1.2.3",
            "up0",
            MacAddress.parse("02:00:00:00:09:01"),
            1,
            List.of(endpoint("liar/ghost", "02:00:00:00:09:02", "10.0.0.99")),
            List.of()));
  }

  @Test
  void nicFarBelowItsEdgePortRefusesNoGuarantee() throws Exception {
    connectLiar();

    store.put(tenant(T1, "10.0.0.0/24").guaranteeBitsPerSecond(40 * MEGABIT).build());

    Tenant most = tenant(T1, "10.0.0.0/24").guaranteeBitsPerSecond(46 * MEGABIT).build();
    assertThat(refusal(() -> store.put(most)).getMessage()).contains("the NIC of host h1");
  }

  @Test
  void endpointThatNoSwitchHasSeenRefusesNoGuaranteeUnlessAMemberNamesIt() throws Exception {
    EndpointId ghost = EndpointId.parse("liar/ghost");
    unseen.add(ghost);
    connectLiar();

    store.put(tenant(T1, "10.0.0.0/24").guaranteeBitsPerSecond(40 * MEGABIT).build());

    Tenant named =
        Tenant.builder(T2)
            .members(List.of(Member.ofEndpoint(ghost)))
            .guaranteeBitsPerSecond(MEGABIT)
            .build();
    assertThat(refusal(() -> store.put(named)).getMessage()).contains("the NIC of host liar");
  }

  /** 20 Mbit/s thrice do not fit into 90 % of a NIC of 50 Mbit/s. */
  @Test
  void guaranteeCountsPerTenantOrPerEndpoint() throws Exception {
    link.connect(
        hello(
            "h1",
            endpoint("h1/vm0", "02:00:00:00:01:01", "10.0.0.1"),
            endpoint("h1/vm1", "02:00:00:00:01:02", "10.0.0.2"),
            endpoint("h1/vm2", "02:00:00:00:01:03", "10.0.0.3")));
    Tenant tenant = tenant(T1, "10.0.0.0/24").guaranteeBitsPerSecond(20 * MEGABIT).build();
    store.put(tenant);

    settings.read(Map.of("share", "endpoint")::get);
    SluiceException refusal =
        refusal(() -> store.put(tenant.toBuilder().preserveEcn(true).build()));
    assertThat(refusal.remedy()).contains("at most 15 Mbit/s (15000000 bit/s) to each endpoint");
  }

  @Test
  void admissionCountsMembersTakenFromTheDefaultTenant() throws Exception {
    link.connect(hello("h1", endpoint("h1/vm0", "02:00:00:00:01:01", "10.0.0.1")));
    store.put(Tenant.builder(T1).guaranteeBitsPerSecond(60 * MEGABIT).build());

    SluiceException refusal =
        refusal(
            () ->
                store.put(tenant(T1, "10.0.0.0/24").guaranteeBitsPerSecond(60 * MEGABIT).build()));

    assertThat(refusal.kind()).isEqualTo(SluiceException.Kind.CONFLICT);
    assertThat(store.tenant(T1).orElseThrow().members()).isEmpty();
  }

  @Test
  void tenantsBeyondTheStoresSizeAreRejected() throws Exception {
    List<Member> members = new ArrayList<>();
    for (int i = 0; i < TenantStore.MOST_CHARACTERS / "{'ipPrefix':'10.0.0.0/32'}".length(); i++) {
      members.add(
          Member.ofPrefix(
              IpPrefix.parse("10." + (i >> 16 & 255) + "." + (i >> 8 & 255) + "." + (i & 255))));
    }
    Tenant huge = Tenant.builder(T1).members(members).build();

    SluiceException refusal = refusal(() -> store.put(huge));

    assertThat(refusal.kind()).isEqualTo(SluiceException.Kind.CONFLICT);
    assertThat(refusal).hasMessageContaining("cannot hold");
    assertThat(store.tenant(T1)).isEmpty();
  }

  /** What is in the cluster's store, as nodes of whatever release wrote it. */
  private ReplicatedMap stored() {
    return storage.map("sluice-tenants");
  }

  private List<String> refusals() {
    List<String> said = new ArrayList<>();
    for (JournalEntry entry : journal.entries(-1, Optional.empty(), 100)) {
      if (entry.kind() == JournalEntry.Kind.REFUSED) {
        said.add(entry.decision() + ": " + entry.evidence());
      }
    }
    return said;
  }

  @Test
  void membersStoredWithoutWeightHaveWeightOne() {
    stored().put("tenants", "[{\"id\":\"t1\",\"members\":[{\"ipPrefix\":\"10.0.0.1/32\"}]}]");

    Member member = node().tenant(T1).orElseThrow().members().get(0);

    assertThat(member.weight()).isEqualTo(1);
    assertThat(refusals()).isEmpty();
  }

  private static final String NEWER = "{\"id\":\"t2\",\"burst\":1.50,\"members\":[]}";

  @Test
  void unreadableTenantIsKeptAndOthersAreServed() throws Exception {
    store.stop();
    stored().put("tenants", "[{\"id\":\"t1\",\"weight\":2}," + NEWER + ",7]");

    TenantStore node = node();

    assertThat(node.tenants()).extracting(Tenant::id).containsExactly(TenantId.DEFAULT, T1);
    assertThat(refusals()).hasSize(2);
    assertThat(refusals().get(1))
        .startsWith("Tenant t2 as it is stored cannot be read")
        .contains("burst")
        .contains("Install the release of Sluice that wrote it, or remove the tenant and set it");
    assertThat(refusals().get(0)).contains("7").contains("Install the release");

    node.put(tenant(T1, "10.0.0.1/32").weight(3).build());

    assertThat(stored().get("tenants").orElseThrow().value()).contains(NEWER).contains(",7]");
    assertThat(node().tenant(T1)).map(Tenant::weight).contains(3.0);
    assertThat(refusals()).as("each node reports it once").hasSize(4);
  }

  @Test
  void unreadableTenantIsRemovedOnRequestOnly() throws Exception {
    stored().put("tenants", "[" + NEWER + "]");
    TenantStore node = node();
    Tenant anew = tenant(T2, "10.0.0.2/32").build();

    for (SluiceException refusal :
        List.of(
            refusal(() -> node.put(anew)),
            refusal(() -> node.create(anew)),
            refusal(() -> node.change(T2, present -> anew)))) {
      assertThat(refusal.kind()).isEqualTo(SluiceException.Kind.CONFLICT);
      assertThat(refusal.field()).contains("id");
      assertThat(refusal.remedy()).contains("remove the tenant and set it anew");
    }
    assertThat(stored().get("tenants").orElseThrow().value()).contains(NEWER);

    node.remove(T2);
    node.create(anew);
    assertThat(node().tenant(T2)).contains(anew);
    assertThat(stored().get("tenants").orElseThrow().value()).doesNotContain("burst");
  }

  @Test
  void unreadableListIsKeptAndChangesAreRejected() {
    store.stop();
    stored().put("tenants", "{ not ours");

    TenantStore node = node();

    assertThat(node.tenants()).extracting(Tenant::id).containsExactly(TenantId.DEFAULT);
    assertThat(refusals()).hasSize(1);
    assertThat(refusals().get(0)).contains("{ not ours").contains("Install the release");
    SluiceException refusal = refusal(() -> node.put(tenant(T1, "10.0.0.1/32").build()));
    assertThat(refusal.kind()).isEqualTo(SluiceException.Kind.UNAVAILABLE);
    assertThat(refusal.remedy()).contains("Install the release");
    assertThat(stored().get("tenants").orElseThrow().value()).isEqualTo("{ not ours");
  }

  @Test
  void laterUnreadableTextKeepsTenants() throws Exception {
    store.put(tenant(T1, "10.0.0.1/32").build());

    stored().put("tenants", "{ not ours");
    assertThat(store.tenant(T1)).isPresent();
    assertThat(refusals()).hasSize(1);

    stored().put("tenants", "[{\"id\":\"t2\"}]");
    assertThat(store.tenants()).extracting(Tenant::id).containsExactly(TenantId.DEFAULT, T2);
  }

  /** What a command must not do in silence: the endpoint could not send any more. */
  @Test
  void changeThatRefusesAnAddressNeedsConfirmation() throws Exception {
    link.connect(hello("h2", endpoint("h2/vm0", "02:00:00:00:02:01", "10.0.0.2", "10.9.0.2")));
    Tenant other = tenant(T2, "10.0.0.2/32").build();
    Tenant naming = Tenant.builder(T1).members(List.of(member("10.8.0.0/16"), VM0)).build();
    store.put(other);

    for (SluiceException refusal :
        List.of(
            refusal(() -> store.put(naming)),
            refusal(() -> store.create(naming)),
            refusal(() -> store.change(T1, present -> naming)))) {
      assertThat(refusal.kind()).isEqualTo(SluiceException.Kind.UNCONFIRMED);
      assertThat(refusal.field()).contains("members[1]");
      assertThat(refusal.value()).isEqualTo("h2/vm0");
      assertThat(refusal).hasMessageStartingWith("h2/vm0 would lose its address 10.0.0.2");
      assertThat(refusal.remedy()).contains("--allow-refused-addresses", "allowRefusedAddresses=");
    }
    for (boolean dryRun : List.of(true, false)) {
      TenantSetChange change = store.replaceAll(List.of(other, naming), Expectation.none(), dryRun);
      assertThat(change.refusals())
          .extracting(one -> one.field().orElse(""))
          .containsExactly("tenants[1].members[1]");
    }
    assertThat(store.tenant(T1)).isEmpty();

    store.by("olga").allowingRefusedAddresses().put(naming);
    store.put(naming.toBuilder().weight(2).build());
    assertThat(store.tenant(T1)).map(Tenant::weight).as("what was lost before").contains(2.0);

    store.remove(T2);
    SluiceException wider = refusal(() -> store.put(tenant(T2, "fd00::/8", "10.9.0.0/16").build()));
    assertThat(wider.field()).as("the prefix that comes to another").contains("members[1]");
    store.put(naming.toBuilder().members(List.of(VM0, member("10.9.0.2/32"))).build());
    store.put(tenant(T2, "10.9.0.0/16").build());
  }

  @Test
  void removalThatRefusesAnAddressNeedsConfirmation() throws Exception {
    link.connect(hello("h2", endpoint("h2/vm0", "02:00:00:00:02:01", "10.0.0.2")));
    TenantId t3 = TenantId.of("t3");
    Member mac = Member.ofMac(MacAddress.parse("02:00:00:00:02:01"));
    store.put(Tenant.builder(T1).members(List.of(VM0, member("10.0.0.2/32"))).build());
    store.put(Tenant.builder(T2).members(List.of(mac)).build());
    store.put(tenant(t3, "10.0.0.0/8").build());

    assertThat(refusal(() -> store.remove(T1)).kind()).isEqualTo(SluiceException.Kind.UNCONFIRMED);
    store.allowingRefusedAddresses().remove(T1);
    assertThat(store.tenant(T1)).isEmpty();
  }

  private static final Member VM0 = Member.ofEndpoint(EndpointId.parse("h2/vm0"));

  private static Member member(String prefix) {
    return Member.ofPrefix(IpPrefix.parse(prefix));
  }

  @Test
  void onlyActualChangesAreJournaled() throws Exception {
    Tenant tenant = tenant(T1, "10.0.0.1/32").build();
    store.put(tenant);
    store.put(tenant);
    store.remove(T1);

    assertThat(journal.entries(-1, Optional.empty(), 10))
        .extracting(JournalEntry::kind)
        .containsExactly(JournalEntry.Kind.TENANT, JournalEntry.Kind.TENANT);
    assertThat(journal.entries(-1, Optional.empty(), 10))
        .extracting(JournalEntry::tenant)
        .as("whose own affair it is")
        .containsOnly(Optional.of(T1));
  }

  @Test
  void changeIsJournaledWithOldValuesAndRequester() throws Exception {
    TenantAdminService olga = store.by("olga");
    olga.create(tenant(T1, "10.0.0.1/32").ceilingBitsPerSecond(12_500_000).build());
    olga.change(T1, present -> present.orElseThrow().toBuilder().weight(2).build());
    olga.put(tenant(T1, "10.0.0.1/32", "fd00::1/128").preserveEcn(true).build());
    store.by("otto").remove(T1);

    List<JournalEntry> newestFirst = journal.entries(-1, Optional.empty(), 10);
    assertThat(newestFirst)
        .extracting(JournalEntry::decision)
        .containsExactly(
            "Tenant t1 removed",
            "Tenant t1 changed: weight 1 (was 2), ceiling none (was 12.5 Mbit/s), ECN preserve"
                + " (was clear), members 10.0.0.1/32 fd00::1/128 (was 10.0.0.1/32)",
            "Tenant t1 changed: weight 2 (was 1)",
            "Tenant t1 created: weight 1, guarantee none, ceiling 12.5 Mbit/s, receive ceiling"
                + " none, ECN clear, members 10.0.0.1/32");
    assertThat(newestFirst)
        .extracting(JournalEntry::evidence)
        .containsExactly(
            "requested by otto", "requested by olga", "requested by olga", "requested by olga");
  }
}

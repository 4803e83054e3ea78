// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.tenant;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.sluice.core.testing.Samples.endpoint;
import static org.sluice.core.testing.Samples.hello;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.sluice.api.Expectation;
import org.sluice.api.IpPrefix;
import org.sluice.api.JournalEntry;
import org.sluice.api.Member;
import org.sluice.api.PortId;
import org.sluice.api.SluiceException;
import org.sluice.api.Tenant;
import org.sluice.api.TenantAdminService;
import org.sluice.api.TenantId;
import org.sluice.api.TenantSetChange;
import org.sluice.core.journal.NodeJournal;
import org.sluice.core.registry.FixedCapacities;
import org.sluice.core.registry.RegistryFixture;
import org.sluice.core.setting.Settings;
import org.sluice.core.testing.FakeLink;
import org.sluice.core.testing.MemoryStorage;
import org.sluice.core.testing.VirtualTime;

/** Whole sets in the place of all tenants, and changes to what was expected; edge port of 100M. */
class TenantReplacementTest {
  private static final PortId EDGE = PortId.parse("of:0000000000000001/1");
  private static final TenantId RED = TenantId.of("red");
  private static final TenantId BLUE = TenantId.of("blue");
  private static final TenantId GREEN = TenantId.of("green");
  private static final long MEGABIT = 1_000_000;

  private final VirtualTime time = new VirtualTime();
  private final MemoryStorage storage = new MemoryStorage();
  private final FakeLink link = new FakeLink();
  private final NodeJournal journal = new NodeJournal(time);
  private final RegistryFixture registry = new RegistryFixture(link, journal, time);
  private TenantStore store;

  @BeforeEach
  void start() throws Exception {
    store = node();
    link.connect(
        hello(
            "h1",
            endpoint("h1/vm0", "02:00:00:00:01:01", "10.0.0.1"),
            endpoint("h1/vm1", "02:00:00:00:01:02", "10.0.0.2")));
    store.put(tenant(RED, "10.0.0.1/32", 30));
    store.put(tenant(BLUE, "10.0.0.2/32", 10));
  }

  private TenantStore node() {
    TenantStore node =
        new TenantStore(
            new Settings(warning -> {}),
            storage,
            registry.endpoints,
            endpoint -> Optional.of(EDGE),
            registry.hosts,
            new FixedCapacities(Map.of(EDGE, 50 * MEGABIT)),
            journal);
    node.start();
    return node;
  }

  private static Tenant tenant(TenantId id, String prefix, long megabits) throws SluiceException {
    return Tenant.builder(id)
        .members(List.of(Member.ofPrefix(IpPrefix.parse(prefix))))
        .guaranteeBitsPerSecond(megabits * MEGABIT)
        .build();
  }

  private TenantSetChange replace(boolean dryRun, Tenant... tenants) throws SluiceException {
    return store.replaceAll(List.of(tenants), Expectation.none(), dryRun);
  }

  private static List<String> fields(TenantSetChange change) {
    return change.refusals().stream()
        .map(refusal -> refusal.field().orElse(""))
        .collect(Collectors.toList());
  }

  private long decisions() {
    return journal.entries(-1, Optional.empty(), 100).stream()
        .filter(entry -> entry.kind() == JournalEntry.Kind.TENANT)
        .count();
  }

  @Test
  void setReplacesAllTenants() throws Exception {
    store.put(Tenant.builder(TenantId.DEFAULT).weight(5).build());
    TenantStore other = node();
    long before = decisions();

    TenantSetChange change =
        replace(false, tenant(RED, "10.0.0.1/32", 30), tenant(GREEN, "10.0.0.2/32", 5));

    assertThat(change.created()).containsExactly(GREEN);
    assertThat(change.changed()).as("it has its defaults").containsExactly(TenantId.DEFAULT);
    assertThat(change.removed()).containsExactly(BLUE);
    assertThat(change.unchanged()).containsExactly(RED);
    assertThat(change.refusals()).isEmpty();
    for (TenantStore node : List.of(store, other)) {
      assertThat(node.tenants())
          .extracting(Tenant::id)
          .containsExactly(TenantId.DEFAULT, GREEN, RED);
      assertThat(node.tenant(TenantId.DEFAULT).orElseThrow().weight()).isEqualTo(1);
    }
    assertThat(decisions() - before).as("one of each change").isEqualTo(3);
  }

  /** One by one, in whatever order, each of these would request more than there is. */
  @Test
  void guaranteesCanBeSwappedInOneSet() throws Exception {
    TenantSetChange change =
        replace(false, tenant(RED, "10.0.0.1/32", 10), tenant(BLUE, "10.0.0.2/32", 35));

    assertThat(change.refusals()).isEmpty();
    assertThat(store.tenant(BLUE).orElseThrow().guaranteeBitsPerSecond()).isEqualTo(35 * MEGABIT);
  }

  @Test
  void membersCanBeSwappedInOneSet() throws Exception {
    replace(false, tenant(RED, "10.0.0.2/32", 0), tenant(BLUE, "10.0.0.1/32", 0));
    assertThat(store.tenantOf(endpoint("h1/vm0", "02:00:00:00:01:01", "10.0.0.1")).id())
        .isEqualTo(BLUE);
  }

  @Test
  void dryRunChangesNothing() throws Exception {
    List<Tenant> before = store.tenants();
    long decisions = decisions();

    assertThat(replace(true, tenant(GREEN, "10.0.0.2/32", 5)).removed()).containsExactly(BLUE, RED);

    assertThat(store.tenants()).isEqualTo(before);
    assertThat(node().tenants()).isEqualTo(before);
    assertThat(decisions()).isEqualTo(decisions);
  }

  @Test
  void setWithOneInvalidTenantChangesNothing() throws Exception {
    List<Tenant> before = store.tenants();

    TenantSetChange change =
        replace(
            false,
            tenant(GREEN, "10.0.0.1/32", 30),
            tenant(BLUE, "10.0.0.2/32", 30),
            tenant(RED, "10.0.0.2/32", 0),
            tenant(GREEN, "10.9.0.0/16", 0));

    assertThat(fields(change))
        .containsExactly("tenants[1].members[0]", "tenants[2].members[0]", "tenants[3].id");
    assertThat(change.created()).isEmpty();
    assertThat(store.tenants()).isEqualTo(before);
  }

  @Test
  void excessiveGuaranteeIsRejectedAtEachTenantThatContributes() throws Exception {
    TenantSetChange change =
        replace(false, tenant(RED, "10.0.0.1/32", 30), tenant(BLUE, "10.0.0.2/32", 30));

    assertThat(fields(change))
        .containsExactly("tenants[0].guaranteeBitsPerSecond", "tenants[1].guaranteeBitsPerSecond");
  }

  @Test
  void setWithStaleExpectationChangesNothing() throws Exception {
    List<Tenant> seen = store.tenants();
    Expectation<List<Tenant>> expected =
        present -> {
          if (!present.orElseThrow().equals(seen)) {
            throw new SluiceException(SluiceException.Kind.STALE, "", "", "It is another", "Look");
          }
        };
    TenantStore other = node();
    Tenant theirs = tenant(GREEN, "10.9.0.0/16", 0);
    storage.beforeNextReplace(() -> putUnchecked(other, theirs));

    SluiceException refusal =
        catchThrowableOfType(
            SluiceException.class, () -> store.replaceAll(List.of(), expected, false));

    assertThat(refusal.kind()).isEqualTo(SluiceException.Kind.STALE);
    assertThat(store.tenants()).extracting(Tenant::id).contains(RED, BLUE, GREEN);
  }

  /** Another node was faster between the read and the write: it is evaluated again. */
  @Test
  void changeWithStaleExpectationFails() throws Exception {
    Expectation<Tenant> lighter =
        present -> {
          if (present.isEmpty() || present.get().weight() > 1) {
            throw new SluiceException(SluiceException.Kind.STALE, "", "", "It is another", "Look");
          }
        };
    TenantStore other = node();
    Tenant heavier = tenant(RED, "10.0.0.1/32", 30).toBuilder().weight(9).build();

    storage.beforeNextReplace(() -> putUnchecked(other, heavier));
    assertThat(
            catchThrowableOfType(
                    SluiceException.class, () -> store.put(tenant(RED, "10.0.0.1/32", 0), lighter))
                .kind())
        .isEqualTo(SluiceException.Kind.STALE);
    assertThat(catchThrowableOfType(SluiceException.class, () -> store.remove(RED, lighter)).kind())
        .isEqualTo(SluiceException.Kind.STALE);
    assertThat(store.tenant(RED)).contains(heavier);

    store.remove(BLUE, lighter);
    assertThat(store.tenant(BLUE)).isEmpty();
  }

  @Test
  void expectationsAreCheckedAndTheRequesterIsRecorded() throws Exception {
    TenantAdminService olga = store.by("olga");
    Expectation<Tenant> none =
        present -> {
          throw new SluiceException(SluiceException.Kind.STALE, "", "", "It is another", "Look");
        };
    for (ThrowingCallable change :
        List.<ThrowingCallable>of(
            () -> olga.put(tenant(RED, "10.0.0.1/32", 0), none),
            () -> olga.remove(RED, none),
            () ->
                olga.replaceAll(
                    List.of(), present -> none.check(present.map(all -> all.get(0))), false))) {
      assertThat(catchThrowableOfType(SluiceException.class, change).kind())
          .isEqualTo(SluiceException.Kind.STALE);
    }
    assertThat(store.tenants()).extracting(Tenant::id).contains(RED, BLUE);

    olga.replaceAll(List.of(tenant(GREEN, "10.0.0.2/32", 5)), Expectation.none(), false);

    assertThat(journal.entries(-1, Optional.empty(), 3))
        .allSatisfy(entry -> assertThat(entry.evidence()).isEqualTo("requested by olga"))
        .extracting(JournalEntry::decision)
        .containsExactlyInAnyOrder(
            "Tenant red removed",
            "Tenant blue removed",
            "Tenant green created: weight 1, guarantee 5 Mbit/s, ceiling none, receive ceiling"
                + " none, ECN clear, members 10.0.0.2/32");
  }

  private static void putUnchecked(TenantStore node, Tenant tenant) {
    try {
      node.put(tenant);
    } catch (SluiceException e) {
      throw new AssertionError(e);
    }
  }
}

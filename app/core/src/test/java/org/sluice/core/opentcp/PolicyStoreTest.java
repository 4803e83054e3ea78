// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.opentcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.sluice.api.Expectation;
import org.sluice.api.HostId;
import org.sluice.api.SluiceException;
import org.sluice.api.policy.HostGroup;
import org.sluice.api.policy.PolicyPresets;
import org.sluice.api.policy.PolicyRevision;
import org.sluice.api.policy.PolicySet;
import org.sluice.core.journal.NodeJournal;
import org.sluice.core.testing.MemoryStorage;
import org.sluice.core.testing.VirtualTime;

class PolicyStoreTest {
  private static final String STORE = "sluice-policies";
  private static final String ENTRY = "history";

  private final VirtualTime time = new VirtualTime();
  private final MemoryStorage storage = new MemoryStorage();
  private final NodeJournal journal = new NodeJournal(time);
  private final PolicyStore store = node();

  private PolicyStore node() {
    PolicyStore node = new PolicyStore(storage, journal, time);
    node.start();
    return node;
  }

  private static SluiceException refusal(org.assertj.core.api.ThrowableAssert.ThrowingCallable c) {
    return catchThrowableOfType(SluiceException.class, c);
  }

  private static PolicySet named(String name) throws SluiceException {
    return PolicySet.builder(name).build();
  }

  private static List<Long> numbers(PolicyStore node) {
    return node.history().revisions().stream()
        .map(PolicyRevision::number)
        .collect(Collectors.toList());
  }

  @Test
  void historyIsVisibleOnOtherNodesAndAfterARestart() throws Exception {
    PolicyStore other = node();
    long epoch = other.epoch().get();
    time.advanceMillis(1234);

    PolicyRevision made = store.apply(PolicyPresets.openTcp2(), "olga", Expectation.none());

    assertThat(made.number()).isEqualTo(1);
    assertThat(made.time()).isEqualTo(time.instant());
    assertThat(other.history().current()).contains(made);
    assertThat(other.epoch().get()).isGreaterThan(epoch);
    assertThat(node().history().revisions()).containsExactly(made);
  }

  @Test
  void rollbackCreatesANewRevision() throws Exception {
    store.apply(named("first"), "olga", Expectation.none());
    store.apply(named("second"), "otto", Expectation.none());
    PolicyRevision back = store.rollBack(1, "olga", Expectation.none());
    assertThat(back.set().map(PolicySet::name)).contains("first");
    assertThat(back.rolledBackTo()).isEqualTo(1);
    PolicyRevision none = store.rollBack(0, "otto", Expectation.none());
    assertThat(none.set()).isEmpty();
    assertThat(none.rolledBackTo()).isZero();
    assertThat(numbers(store)).containsExactly(4L, 3L, 2L, 1L);
    assertThat(node().history().revisions()).isEqualTo(store.history().revisions());

    SluiceException refusal = refusal(() -> store.rollBack(9, "olga", Expectation.none()));
    assertThat(refusal.kind()).isEqualTo(SluiceException.Kind.NOT_FOUND);
    assertThat(refusal.field()).contains("revision");
    assertThat(refusal.value()).isEqualTo("9");
  }

  @Test
  void oldRevisionsExpireAndNumbersAreNotReused() throws Exception {
    int many = PolicyHistory.MOST_REVISIONS + 7;
    for (int i = 1; i <= many; i++) {
      assertThat(store.apply(named("set" + i), "olga", Expectation.none()).number()).isEqualTo(i);
    }
    assertThat(numbers(store)).hasSize(PolicyHistory.MOST_REVISIONS).contains((long) many, 8L);
    assertThat(refusal(() -> store.rollBack(7, "olga", Expectation.none())).kind())
        .isEqualTo(SluiceException.Kind.NOT_FOUND);
    assertThat(node().apply(named("next"), "olga", Expectation.none()).number())
        .isEqualTo(many + 1);
  }

  @Test
  void concurrentApplicationsEachGetARevision() throws Exception {
    int each = 10;
    List<Callable<Void>> users = new ArrayList<>();
    for (PolicyStore node : List.of(store, node(), node())) {
      users.add(
          () -> {
            for (int i = 0; i < each; i++) {
              node.apply(named("set"), "olga", Expectation.none());
            }
            return null;
          });
    }
    ExecutorService threads = Executors.newFixedThreadPool(users.size());
    try {
      for (Future<Void> done : threads.invokeAll(users)) {
        done.get();
      }
    } finally {
      threads.shutdownNow();
    }
    assertThat(numbers(store)).hasSize(each * users.size()).doesNotHaveDuplicates();
    assertThat(store.history().nextNumber()).isEqualTo(1L + numbers(store).size());
  }

  @Test
  void unreadableHistoryIsKeptAndNotInForce() throws Exception {
    store.apply(named("mine"), "olga", Expectation.none());
    String text = storage.map(STORE).get(ENTRY).orElseThrow().value();
    String later =
        text.replace("\"next\":2", "\"next\":3")
            .replace(
                "\"revisions\":[",
                "\"revisions\":[{\"number\":2,\"time\":\"2030-01-01T00:00:00Z\",\"author\":\"x\","
                    + "\"rolledBackTo\":0,\"set\":{\"version\":2,\"name\":\"later\"}},");
    storage.map(STORE).put(ENTRY, later);

    assertThat(store.history().isUnreadable()).isTrue();
    assertThat(store.history().current()).isEmpty();
    assertThat(numbers(store)).containsExactly(1L);
    PolicyRevision next = store.apply(named("next"), "olga", Expectation.none());
    assertThat(next.number()).isEqualTo(3);
    assertThat(storage.map(STORE).get(ENTRY).orElseThrow().value()).contains("\"later\"");
  }

  @Test
  void invalidHistoryIsNotOverwritten() throws Exception {
    PolicyRevision before = store.apply(named("mine"), "olga", Expectation.none());
    storage.map(STORE).put(ENTRY, "{\"policies\":[]}");
    assertThat(refusal(() -> store.apply(named("next"), "olga", Expectation.none())).kind())
        .isEqualTo(SluiceException.Kind.UNAVAILABLE);
    assertThat(store.history().current()).isEqualTo(Optional.of(before));
    assertThat(storage.map(STORE).get(ENTRY).orElseThrow().value()).isEqualTo("{\"policies\":[]}");
  }

  @Test
  void largeSetsEvictOldOnesAndOversizedSetsAreRejected() throws Exception {
    for (int i = 0; i < 4; i++) {
      store.apply(large("large" + i, 20_000), "olga", Expectation.none());
    }
    assertThat(numbers(store)).contains(4L).doesNotContain(1L);
    assertThat(storage.map(STORE).get(ENTRY).orElseThrow().value().length())
        .isLessThanOrEqualTo(PolicyStore.MOST_CHARACTERS);
    SluiceException refusal =
        refusal(() -> store.apply(large("huge", 60_000), "olga", Expectation.none()));
    assertThat(refusal.kind()).isEqualTo(SluiceException.Kind.CONFLICT);
    assertThat(store.history().current().orElseThrow().number()).isEqualTo(4);
  }

  private static PolicySet large(String name, int hosts) throws SluiceException {
    List<HostId> ids = new ArrayList<>();
    for (int i = 0; i < hosts; i++) {
      ids.add(HostId.of("host-number-" + i));
    }
    return PolicySet.builder(name).groups(List.of(HostGroup.of("all", ids))).build();
  }

  @Test
  void missingStorageIsReported() {
    storage.setAvailable(false);
    SluiceException refusal = refusal(() -> store.apply(named("mine"), "olga", Expectation.none()));
    assertThat(refusal.kind()).isEqualTo(SluiceException.Kind.UNAVAILABLE);
    assertThat(refusal.remedy()).isNotBlank();
    assertThat(store.history().revisions()).isEmpty();
  }
}

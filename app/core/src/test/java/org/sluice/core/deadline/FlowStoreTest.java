// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.deadline;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.sluice.core.deadline.DeadlineNetwork.RED;
import static org.sluice.core.deadline.DeadlineNetwork.flow;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.sluice.api.Expectation;
import org.sluice.api.SluiceException;
import org.sluice.api.deadline.FlowStatus;
import org.sluice.core.deadline.FlowStore.VersionedLog;
import org.sluice.core.spi.StorageUnavailableException;
import org.sluice.core.testing.MemoryStorage;
import org.sluice.core.testing.VirtualTime;

class FlowStoreTest {
  private final MemoryStorage storage = new MemoryStorage();
  private final VirtualTime time = new VirtualTime();
  private final FlowStore store =
      new FlowStore(storage, time, new DeadlineNetwork.IgnoredChanges());

  private static StoredFlow stored(long id) {
    return StoredFlow.of(id, flow((int) id), RED, 1_000, 1_000_000, 0, true);
  }

  @Test
  void storedFlowsAreReadUnchanged() {
    store.write(List.of(stored(1), stored(2).withoutPromise()));
    assertThat(store.flows()).containsExactlyInAnyOrder(stored(1), stored(2).withoutPromise());
  }

  @Test
  void rewriteSkipsRemovedFlows() {
    store.write(List.of(stored(1), stored(2)));
    store.remove(2);
    store.rewrite(List.of(stored(1).withoutPromise(), stored(2).withoutPromise()));
    assertThat(store.flows()).containsExactly(stored(1).withoutPromise());
  }

  /** What was seen before another node changed it says nothing. */
  @Test
  void entryIsRemovedOnlyIfUnchanged() throws Exception {
    store.write(List.of(stored(1)));
    Expectation<FlowStatus> promised =
        present -> {
          if (present.filter(FlowStatus::promised).isEmpty()) {
            throw new SluiceException(SluiceException.Kind.STALE, "", "", "It is another", "Look");
          }
        };
    storage.beforeNextReplace(() -> store.write(List.of(stored(1).withoutPromise())));

    assertThatThrownBy(() -> store.remove(1, promised)).isInstanceOf(SluiceException.class);
    assertThat(store.flows()).containsExactly(stored(1).withoutPromise());

    store.write(List.of(stored(1)));
    store.remove(1, promised);
    assertThat(store.flows()).isEmpty();
  }

  @Test
  void completionWritesWhatWasDecidedLast() {
    store.write(List.of(stored(1)));
    store.complete(List.of(stored(1).withoutPromise(), stored(2)));
    assertThat(store.flows()).containsExactlyInAnyOrder(stored(1).withoutPromise(), stored(2));
  }

  @Test
  void onlyOneOfTwoConcurrentLogReplacementsSucceeds() {
    VersionedLog first = store.registrationLog();
    assertThat(store.replace(first, first.value().next(5, List.of(stored(4))))).isTrue();
    assertThat(store.replace(first, first.value().next(6, List.of()))).isFalse();
    VersionedLog second = store.registrationLog();
    assertThat(second.value()).isEqualTo(RegistrationLog.of(1, 5, List.of(stored(4))));
    assertThat(store.replace(second, second.value().next(5, List.of()))).isTrue();
    assertThat(store.replace(second, second.value().next(5, List.of()))).isFalse();
    assertThat(store.registrationLog().value().number()).isEqualTo(2);
  }

  @Test
  void clearingKeepsTheLogSoThatNumbersStayUnique() {
    VersionedLog first = store.registrationLog();
    store.replace(first, first.value().next(5, List.of()));
    store.write(List.of(stored(3), stored(4)));
    store.clear();
    assertThat(store.flows()).isEmpty();
    assertThat(store.registrationLog().value().nextId()).isEqualTo(5);
  }

  @Test
  void openStoreReportsChangesOfOtherNodesExceptTheLog() {
    List<String> changes = new ArrayList<>();
    FlowStore other =
        new FlowStore(
            storage,
            time,
            new FlowStore.Listener() {
              @Override
              public void stored(StoredFlow flow) {
                changes.add("stored " + flow.id() + (flow.promised() ? "" : " without promise"));
              }

              @Override
              public void removed(StoredFlow flow) {
                changes.add("removed " + flow.id());
              }
            });
    other.open();
    store.replace(store.registrationLog(), RegistrationLog.of(1, 2, List.of(stored(1))));
    store.write(List.of(stored(1)));
    store.rewrite(List.of(stored(1).withoutPromise()));
    store.remove(1);
    other.close();
    store.write(List.of(stored(2)));
    assertThat(changes).containsExactly("stored 1", "stored 1 without promise", "removed 1");
  }

  @Test
  void failedWriteHasItsReason() {
    storage.setAvailable(false);
    assertThatThrownBy(() -> store.write(List.of(stored(1))))
        .isInstanceOf(StorageUnavailableException.class);
    assertThatThrownBy(store::flows).isInstanceOf(StorageUnavailableException.class);
    storage.setAvailable(true);
    assertThat(store.flows()).isEmpty();
  }
}

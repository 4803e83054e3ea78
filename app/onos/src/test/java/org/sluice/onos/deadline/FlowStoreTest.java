// SPDX-License-Identifier: Apache-2.0
package org.sluice.onos.deadline;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.onosproject.store.service.Versioned;
import org.sluice.api.TenantId;
import org.sluice.onos.testing.MemoryStorage;

class FlowStoreTest {
  private final FlowStore store =
      new FlowStore(new MemoryStorage(), new DeadlineWorld.NobodyListens());

  @AfterEach
  void close() {
    store.close();
  }

  private static StoredFlow stored(long id) {
    return StoredFlow.of(
        id, DeadlineWorld.flow((int) id), TenantId.of("red"), 1_000, 1_000_000, true);
  }

  @Test
  void whatIsWrittenIsReadAsItWas() {
    store.write(List.of(stored(1), stored(2).withoutPromise()));
    assertThat(store.flows()).containsExactlyInAnyOrder(stored(1), stored(2).withoutPromise());
  }

  @Test
  void whatWasTakenBackIsNotWrittenAnew() {
    store.write(List.of(stored(1), stored(2)));
    store.remove(2);
    store.rewrite(List.of(stored(1).withoutPromise(), stored(2).withoutPromise()));
    assertThat(store.flows()).containsExactly(stored(1).withoutPromise());
  }

  @Test
  void whatIsThereIsNotCompleted() {
    store.write(List.of(stored(1).withoutPromise()));
    store.complete(List.of(stored(1), stored(2)));
    assertThat(store.flows()).containsExactlyInAnyOrder(stored(1).withoutPromise(), stored(2));
  }

  @Test
  void ofTwoThatReplaceTheSameLedgerOneDoes() {
    Versioned<Ledger> first = store.ledger();
    assertThat(store.replace(first, first.value().next(5, List.of(stored(4))))).isTrue();
    assertThat(store.replace(first, first.value().next(6, List.of()))).isFalse();
    Versioned<Ledger> second = store.ledger();
    assertThat(second.value()).isEqualTo(Ledger.of(1, 5, List.of(stored(4))));
    assertThat(store.replace(second, second.value().next(5, List.of()))).isTrue();
    assertThat(store.replace(second, second.value().next(5, List.of()))).isFalse();
    assertThat(store.ledger().value().number()).isEqualTo(2);
  }
}

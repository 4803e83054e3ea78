// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.sluice.api.EndpointId;
import org.sluice.api.HostId;
import org.sluice.api.JournalEntry;
import org.sluice.api.JournalQuery;
import org.sluice.api.JournalService;
import org.sluice.api.PortId;
import org.sluice.api.TenantId;

class JournalTest {
  private final Journal journal = new Journal();

  private JournalEntry append(int port) {
    return journal.append(
        Instant.EPOCH,
        JournalEntry.Kind.UNIT_SHARE,
        "sluice",
        Optional.of(PortId.of("s", port)),
        Optional.empty(),
        "decision",
        "evidence");
  }

  private List<Long> read(long after, Optional<PortId> port, int limit) {
    return journal.entries(after, port, limit).stream()
        .map(JournalEntry::sequence)
        .collect(Collectors.toList());
  }

  @Test
  void returnsTheNewestFirst() {
    for (int i = 0; i < 5; i++) {
      assertThat(append(i % 2).sequence()).isEqualTo(i);
    }
    assertThat(read(-1, Optional.empty(), 10)).containsExactly(4L, 3L, 2L, 1L, 0L);
    assertThat(read(-1, Optional.empty(), 2)).containsExactly(4L, 3L);
    assertThat(read(2, Optional.empty(), 10)).containsExactly(4L, 3L);
    assertThat(read(4, Optional.empty(), 10)).isEmpty();
    assertThat(read(99, Optional.empty(), 10)).isEmpty();
    assertThat(read(-1, Optional.of(PortId.of("s", 1)), 10)).containsExactly(3L, 1L);
  }

  private List<Long> read(JournalQuery.Builder query) {
    return journal.entries(query.build()).stream()
        .map(JournalEntry::sequence)
        .collect(Collectors.toList());
  }

  @Test
  void returnsEntriesThatMatchTheQuery() {
    TenantId gold = TenantId.of("gold");
    EndpointId vm = EndpointId.of(HostId.of("h1"), "vm0");
    append(0);
    journal.append(
        Instant.ofEpochSecond(9),
        JournalEntry.Kind.TENANT,
        "",
        Optional.empty(),
        Optional.of(vm),
        Optional.of(gold),
        "decision",
        "evidence");
    assertThat(read(JournalQuery.builder().kinds(Set.of(JournalEntry.Kind.TENANT))))
        .containsExactly(1L);
    assertThat(read(JournalQuery.builder().tenant(Optional.of(gold)))).containsExactly(1L);
    assertThat(read(JournalQuery.builder().endpoint(Optional.of(vm)))).containsExactly(1L);
    assertThat(read(JournalQuery.builder().law(Optional.of("sluice")))).containsExactly(0L);
    assertThat(read(JournalQuery.builder().law(Optional.of("")))).containsExactly(1L);
    Optional<Instant> nine = Optional.of(Instant.ofEpochSecond(9));
    assertThat(read(JournalQuery.builder().since(nine))).containsExactly(1L);
    assertThat(read(JournalQuery.builder().until(nine))).containsExactly(0L);
    assertThat(read(JournalQuery.builder().law(Optional.of("sluice")).tenant(Optional.of(gold))))
        .isEmpty();
  }

  @Test
  void pagesAreConsecutive() {
    for (int i = 0; i < JournalService.CAPACITY + 7; i++) {
      append(i % 2);
    }
    List<Long> all = new ArrayList<>();
    List<Long> page = List.of(Long.MAX_VALUE);
    while (!page.isEmpty()) {
      page =
          read(
              JournalQuery.builder()
                  .port(PortId.of("s", 1))
                  .beforeSequence(page.get(page.size() - 1))
                  .limit(999));
      all.addAll(page);
    }
    assertThat(all).isEqualTo(read(-1, Optional.of(PortId.of("s", 1)), JournalService.CAPACITY));
    assertThat(read(JournalQuery.builder().beforeSequence(0))).isEmpty();
  }

  @Test
  void keepsTheNewestEntries() {
    for (int i = 0; i < JournalService.CAPACITY + 3; i++) {
      append(0);
    }
    List<Long> all = read(-1, Optional.empty(), JournalService.CAPACITY);
    assertThat(all).hasSize(JournalService.CAPACITY);
    assertThat(all.get(0)).isEqualTo(JournalService.CAPACITY + 2L);
    assertThat(all.get(all.size() - 1)).isEqualTo(3L);
  }

  @Test
  void rejectsInvalidLimits() {
    assertThatThrownBy(() -> read(-1, Optional.empty(), 0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("not 0");
    assertThatThrownBy(() -> read(-1, Optional.empty(), JournalService.CAPACITY + 1))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void supportsConcurrentWritersAndReaders() throws InterruptedException {
    int writers = 4;
    int each = 500;
    CountDownLatch done = new CountDownLatch(writers);
    for (int w = 0; w < writers; w++) {
      new Thread(
              () -> {
                for (int i = 0; i < each; i++) {
                  append(0);
                }
                done.countDown();
              })
          .start();
    }
    while (!done.await(1, TimeUnit.MILLISECONDS)) {
      List<Long> seen = read(-1, Optional.empty(), JournalService.CAPACITY);
      for (int i = 1; i < seen.size(); i++) {
        assertThat(seen.get(i - 1)).isEqualTo(seen.get(i) + 1);
      }
    }
    assertThat(read(-1, Optional.empty(), JournalService.CAPACITY)).hasSize(writers * each);
  }
}

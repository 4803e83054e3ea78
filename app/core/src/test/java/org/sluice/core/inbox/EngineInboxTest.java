// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.inbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.sluice.api.HostId;
import org.sluice.api.SluiceException;
import org.sluice.core.testing.VirtualTime;

class EngineInboxTest {
  private static final int CAPACITY = 3;

  private final VirtualTime time = new VirtualTime();
  private final EngineInbox inbox = new EngineInbox(time, CAPACITY);
  private final List<String> done = new ArrayList<>();

  private void drain() {
    inbox.drain(time.nanoTime());
  }

  @Test
  void samplesAndTasksAreProcessedInOrder() {
    inbox.offer(now -> done.add("a"));
    inbox.post(now -> done.add("b"));
    inbox.offer(now -> done.add("c"));

    drain();
    drain();

    assertThat(done).containsExactly("a", "b", "c");
  }

  @Test
  void fullInboxDropsAndCountsTheOldestSample() {
    for (String each : List.of("a", "b", "c", "d")) {
      inbox.offer(now -> done.add(each));
    }

    drain();

    assertThat(done).containsExactly("b", "c", "d");
    assertThat(inbox.droppedSamples()).isEqualTo(1);
  }

  @Test
  void tasksAreNotDroppedForSamples() {
    inbox.post(now -> done.add("task"));
    for (String each : List.of("a", "b", "c")) {
      inbox.offer(now -> done.add(each));
    }

    drain();

    assertThat(done).containsExactly("task", "b", "c");
  }

  @Test
  void inboxFullOfTasksRejectsTasksAndDropsSamples() {
    for (int i = 0; i < CAPACITY; i++) {
      assertThat(inbox.post(now -> done.add("task"))).isTrue();
    }

    assertThat(inbox.post(now -> done.add("refused"))).isFalse();
    inbox.offer(now -> done.add("dropped"));
    drain();

    assertThat(done).containsExactly("task", "task", "task");
    assertThat(inbox.refusedTasks()).isEqualTo(1);
    assertThat(inbox.droppedSamples()).isEqualTo(1);
  }

  /** Else a host of a thousand that sends the largest messages would drop all others' samples. */
  @Test
  void hostOverItsQuotaLosesOnlyItsOwnNewestSamples() {
    EngineInbox large = new EngineInbox(time);
    int entries = 8192;
    int fit = (int) (EngineInbox.HOST_BYTES / (EngineInbox.ENTRY_BYTES * (1L + entries)));
    large.offer(HostId.of("h2"), 1, now -> done.add("h2"));
    for (int i = 0; i < 100; i++) {
      large.offer(HostId.of("h1"), entries, now -> done.add("h1"));
    }
    large.offer(HostId.of("h3"), entries, now -> done.add("h3"));

    large.drain(time.nanoTime());

    assertThat(done).hasSize(fit + 2).startsWith("h2").endsWith("h3");
    assertThat(large.droppedSamples()).isEqualTo(100 - fit);
    large.offer(HostId.of("h1"), entries, now -> done.add("later"));
    large.drain(time.nanoTime());
    assertThat(done).endsWith("later");
  }

  @Test
  void queuedBytesOfAllHostsAreBounded() {
    EngineInbox large = new EngineInbox(time);
    int entries = 8191;
    int fit = (int) (EngineInbox.CAPACITY_BYTES / (EngineInbox.ENTRY_BYTES * (1L + entries)));
    for (int i = 0; i < 2 * fit; i++) {
      String host = "h" + i;
      large.offer(HostId.of(host), entries, now -> done.add(host));
    }

    large.drain(time.nanoTime());

    assertThat(done).hasSize(fit).startsWith("h" + fit).endsWith("h" + (2 * fit - 1));
  }

  @Test
  void urgentTaskWakesTheEngineThread() {
    List<Boolean> woken = new ArrayList<>();
    inbox.setWake(() -> woken.add(inbox.isUrgent()));

    inbox.offer(now -> {});
    inbox.post(now -> {});
    assertThat(inbox.isUrgent()).isFalse();
    inbox.offerUrgent(now -> {});
    inbox.postUrgent(now -> {});

    assertThat(woken).containsExactly(true, true);
    drain();
    assertThat(inbox.isUrgent()).isFalse();
  }

  @Test
  void failingTaskDoesNotBlockOthers() {
    inbox.offer(
        now -> {
          throw new IllegalStateException("on purpose");
        });
    inbox.offer(now -> done.add("b"));

    drain();

    assertThat(done).containsExactly("b");
  }

  @Test
  void taskAddedWhileDrainingRunsInTheNextRound() {
    inbox.post(now -> inbox.post(later -> done.add("later")));

    drain();
    assertThat(done).isEmpty();
    drain();

    assertThat(done).containsExactly("later");
  }

  @Test
  void queryRunsOnTheEngineThread() throws Exception {
    time.at(TimeUnit.MILLISECONDS.toNanos(7), this::drain);

    assertThat(inbox.<Long>call(now -> now)).isEqualTo(time.nanoTime());
  }

  @Test
  void failingOrUnprocessedQueryIsRejected() {
    assertThatThrownBy(() -> inbox.call(now -> 1))
        .isInstanceOf(SluiceException.class)
        .hasMessageContaining("too busy");

    time.at(1, this::drain);
    assertThatThrownBy(
            () ->
                inbox.call(
                    now -> {
                      throw new IllegalStateException("on purpose");
                    }))
        .isInstanceOf(SluiceException.class)
        .hasMessageContaining("on purpose");
  }
}

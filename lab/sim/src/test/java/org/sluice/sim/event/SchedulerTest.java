// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.event;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

class SchedulerTest {
  private final Scheduler scheduler = new Scheduler();
  private final List<String> fired = new ArrayList<>();

  private Event event(String name) {
    return new Event() {
      @Override
      protected void fire() {
        fired.add(name + "@" + scheduler.now());
      }
    };
  }

  @Test
  void firesInOrderOfTimeThenOfArming() {
    scheduler.arm(event("c"), 20);
    scheduler.arm(event("a"), 10);
    scheduler.arm(event("b"), 10);
    scheduler.runUntil(20);
    assertThat(fired).containsExactly("a@10", "b@10", "c@20");
    assertThat(scheduler.fired()).isEqualTo(3);
  }

  @Test
  void mayBeginBeforeTimeZero() {
    Scheduler early = new Scheduler(-20);
    assertThat(early.now()).isEqualTo(-20);
    early.arm(Event.running(() -> fired.add("a@" + early.now())), -10);
    early.arm(Event.running(() -> fired.add("b@" + early.now())), 10);
    early.runUntil(0);
    assertThat(fired).containsExactly("a@-10");
    early.runUntil(10);
    assertThat(fired).containsExactly("a@-10", "b@10");
  }

  @Test
  void stopsAtTheEndAndResumesFromThere() {
    scheduler.arm(event("a"), 10);
    scheduler.arm(event("b"), 11);
    scheduler.runUntil(10);
    assertThat(fired).containsExactly("a@10");
    scheduler.runUntil(50);
    assertThat(fired).containsExactly("a@10", "b@11");
    assertThat(scheduler.now()).isEqualTo(50);
  }

  @Test
  void movesAnArmedEventLaterAndEarlier() {
    Event later = event("later");
    scheduler.arm(later, 10);
    scheduler.arm(later, 30);
    Event earlier = event("earlier");
    scheduler.arm(earlier, 40);
    scheduler.arm(earlier, 20);
    scheduler.runUntil(100);
    assertThat(fired).containsExactly("earlier@20", "later@30");
  }

  @Test
  void disarmedEventDoesNotFireAndCanBeRearmed() {
    Event event = event("a");
    scheduler.arm(event, 10);
    scheduler.disarm(event);
    assertThat(event.isArmed()).isFalse();
    scheduler.arm(event, 15);
    scheduler.runUntil(100);
    assertThat(fired).containsExactly("a@15");
  }

  @Test
  void eventMayRearmItself() {
    Event every =
        new Event() {
          @Override
          protected void fire() {
            fired.add("@" + scheduler.now());
            scheduler.armIn(this, 5);
          }
        };
    scheduler.arm(every, 5);
    scheduler.runUntil(17);
    assertThat(fired).containsExactly("@5", "@10", "@15");
    assertThat(every.dueNanos()).isEqualTo(20);
  }

  @Test
  void rejectsTimesInThePast() {
    scheduler.runUntil(100);
    assertThatThrownBy(() -> scheduler.arm(event("a"), 99))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("99")
        .hasMessageContaining("100");
  }

  /** Any history of arming, moving and disarming ends as in a sorted list. */
  @Property(tries = 300)
  void agreesWithASortedList(
      @ForAll @Size(min = 1, max = 400) List<@IntRange(min = 0, max = 999_999) Integer> commands) {
    Scheduler tested = new Scheduler();
    List<String> seen = new ArrayList<>();
    Event[] events = new Event[40];
    long[] due = new long[events.length];
    int[] order = new int[events.length];
    for (int i = 0; i < events.length; i++) {
      int number = i;
      due[i] = -1;
      events[i] =
          new Event() {
            @Override
            protected void fire() {
              seen.add(number + "@" + tested.now());
            }
          };
    }
    for (int step = 0; step < commands.size(); step++) {
      int command = commands.get(step);
      int which = command % events.length;
      if (command / events.length % 5 == 0) {
        tested.disarm(events[which]);
        due[which] = -1;
      } else {
        // Times of their own: which of two equal ones comes first after a move is not promised.
        long time = (command / 200) * 1000L + which;
        tested.arm(events[which], time);
        due[which] = time;
        order[which] = step;
      }
    }
    tested.runUntil(Long.MAX_VALUE / 2);
    List<Integer> expected = new ArrayList<>();
    for (int i = 0; i < events.length; i++) {
      if (due[i] >= 0) {
        expected.add(i);
      }
    }
    expected.sort(Comparator.<Integer>comparingLong(i -> due[i]).thenComparingInt(i -> order[i]));
    assertThat(seen).isEqualTo(expected.stream().map(i -> i + "@" + due[i]).toList());
  }
}

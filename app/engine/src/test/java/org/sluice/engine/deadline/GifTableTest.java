// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.deadline;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;
import org.sluice.api.IpAddress;
import org.sluice.api.deadline.FlowKey;

class GifTableTest {
  private static final FlowKey KEY =
      FlowKey.of(IpAddress.parse("10.0.0.1"), 1, IpAddress.parse("10.0.0.2"), 2);

  private static GifRow row(long id, long deadlineNanos, boolean promised) {
    return new GifRow(id, id, KEY, new DeadlinePort[0], 1, deadlineNanos, promised);
  }

  @Test
  void ordersAdmittedBeforeForcedBeforeOtherFlows() {
    GifTable table = new GifTable();
    GifRow endless = row(1, GifRow.NEVER, false);
    GifRow forced = row(2, 10, false);
    GifRow promised = row(3, 20, true);
    GifRow tied = row(4, 20, true);
    List.of(endless, tied, forced, promised).forEach(table::add);
    assertThat(List.of(table.get(0), table.get(1), table.get(2), table.get(3)))
        .containsExactly(promised, tied, forced, endless);
    assertThat(table.firstNotPromised()).isEqualTo(2);
    assertThat(table.firstWithoutDeadline()).isEqualTo(3);
  }

  /** 0 to 99 adds one with that deadline, 100 and more removes one. */
  @Property
  void staysSortedUnderAdditionsAndRemovals(
      @ForAll @Size(max = 300) List<@IntRange(max = 130) Integer> steps) {
    GifTable table = new GifTable();
    List<GifRow> held = new ArrayList<>();
    long id = 0;
    for (int step : steps) {
      if (step < 100) {
        GifRow row = row(++id, step < 90 ? step : GifRow.NEVER, step % 3 != 0);
        held.add(row);
        table.add(row);
      } else if (!held.isEmpty()) {
        table.remove(held.remove(step % held.size()));
      }
    }
    held.sort((one, other) -> one.comesBefore(other) ? -1 : 1);
    assertThat(table.size()).isEqualTo(held.size());
    for (int i = 0; i < held.size(); i++) {
      assertThat(table.get(i)).isSameAs(held.get(i));
      assertThat(i < table.firstNotPromised()).isEqualTo(held.get(i).isPromised());
      assertThat(i < table.firstWithoutDeadline()).isEqualTo(held.get(i).hasDeadline());
    }
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.collections;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

/** Rows come once and in order, whenever read. */
class RowSetTest {
  @Property
  void iteratesEachRowOnceInOrder(@ForAll List<@IntRange(max = 500) Integer> added) {
    RowSet set = new RowSet();
    for (int i = 0; i < added.size(); i++) {
      set.add(added.get(i));
      int[] expected =
          added.subList(0, i + 1).stream().mapToInt(row -> row).distinct().sorted().toArray();
      assertThat(set.rows()).isEqualTo(expected);
    }
  }
}

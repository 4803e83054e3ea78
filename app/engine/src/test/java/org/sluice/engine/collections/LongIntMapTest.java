// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.collections;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

class LongIntMapTest {

  @Test
  void holdsKeysOfAllSigns() {
    LongIntMap map = new LongIntMap();
    map.put(0, 1);
    map.put(-1, 2);
    map.put(Long.MIN_VALUE, 3);
    assertThat(map.get(0)).isEqualTo(1);
    assertThat(map.get(-1)).isEqualTo(2);
    assertThat(map.get(Long.MIN_VALUE)).isEqualTo(3);
    assertThat(map.get(1)).isEqualTo(LongIntMap.ABSENT);
  }

  /** Few keys, many steps: collisions, wrap-around and growth all happen. */
  @Property(tries = 300)
  void agreesWithHashMap(
      @ForAll @Size(max = 600) List<@IntRange(min = -300, max = 300) Integer> steps) {
    LongIntMap map = new LongIntMap();
    Map<Long, Integer> model = new HashMap<>();
    for (int i = 0; i < steps.size(); i++) {
      long key = Math.abs(steps.get(i)) % 150 * 0x1_0000_0000L;
      if (steps.get(i) < -100) {
        map.remove(key);
        model.remove(key);
      } else {
        map.put(key, i);
        model.put(key, i);
      }
    }
    assertThat(map.size()).isEqualTo(model.size());
    for (long k = 0; k < 150; k++) {
      long key = k * 0x1_0000_0000L;
      assertThat(map.get(key)).isEqualTo(model.getOrDefault(key, LongIntMap.ABSENT));
    }
  }
}

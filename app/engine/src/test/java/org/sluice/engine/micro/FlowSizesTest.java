// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.micro;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.DoubleRange;
import net.jqwik.api.constraints.LongRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

class FlowSizesTest {
  private final FlowSizes sizes = new FlowSizes();

  @Property
  void aQuantileIsAtMostAQuarterTooLarge(
      @ForAll @Size(min = 1, max = 50) List<@LongRange(max = 1_000_000_000_000L) Long> bytes,
      @ForAll @DoubleRange(min = 0.01, max = 0.99) double part) {
    FlowSizes any = new FlowSizes();
    bytes.forEach(size -> any.add(size, 1));
    List<Long> sorted = new ArrayList<>(bytes);
    Collections.sort(sorted);
    double rank = part * bytes.size();
    long least = sorted.get((int) Math.ceil(rank - 1e-9) - 1);
    long most = sorted.get((int) Math.min(bytes.size(), Math.ceil(rank + 1e-9)) - 1);
    assertThat(any.quantile(part)).isBetween(least, (long) (most * 1.25));
  }

  @Test
  void oldSizesCountLess() {
    for (int i = 0; i < 100; i++) {
      sizes.add(1_000, 1);
    }
    sizes.age(0.1);
    assertThat(sizes.total()).isEqualTo(10);
    for (int i = 0; i < 30; i++) {
      sizes.add(1_000_000, 1);
    }
    assertThat(sizes.quantile(0.2)).isEqualTo(1_023);
    assertThat(sizes.quantile(0.5)).isEqualTo(1_048_575);
  }

  @Test
  void veryLargeFlowsAreCounted() {
    sizes.add(Long.MAX_VALUE, 1);
    sizes.add(0, 1);
    assertThat(sizes.quantile(0.4)).isZero();
    assertThat(sizes.quantile(0.9)).isGreaterThan(1_000_000_000_000L);
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.scenario.document;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class QuantityTest {
  @Test
  void isExact() {
    assertThat(Quantity.nanos("7.9 us")).isEqualTo(7900);
    assertThat(Quantity.nanos("30s")).isEqualTo(30_000_000_000L);
    assertThat(Quantity.bitsPerSecond("1 Gbit/s")).isEqualTo(1_000_000_000L);
    assertThat(Quantity.bytes("11.5 KB")).isEqualTo(11_500);
    assertThat(Quantity.fraction("5 %")).isEqualTo(0.05);
  }

  @Test
  void requiresAUnitOfItsDimension() {
    assertThatThrownBy(() -> Quantity.nanos("5 Mbit/s"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("5 Mbit/s");
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.scenario.build;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;

class NameRangeTest {
  private static final List<String> NAMES = List.of("s1", "s2", "s10", "r1", "a1/web", "a2/web");

  @Test
  void expands() {
    assertThat(NameRange.expand("a[9..11]/web")).containsExactly("a9/web", "a10/web", "a11/web");
    assertThat(NameRange.expand("core")).containsExactly("core");
    assertThat(NameRange.expand("s[1..2], r1")).containsExactly("s1", "s2", "r1");
    assertThatThrownBy(() -> NameRange.expand("a[3..]")).hasMessageContaining("a[3..]");
    assertThatThrownBy(() -> NameRange.expand("a[3..2]")).hasMessageContaining("a[3..2]");
    assertThatThrownBy(() -> NameRange.expand("a[b]")).hasMessageContaining("not a range");
  }

  @Test
  void selectsInOrderOfNames() {
    assertThat(NameRange.select("s2", NAMES)).containsExactly("s2");
    assertThat(NameRange.select("s*", NAMES)).containsExactly("s1", "s2", "s10");
    assertThat(NameRange.select("s[2..]", NAMES)).containsExactly("s2", "s10");
    assertThat(NameRange.select("a[1..2]/web, r1", NAMES))
        .containsExactly("a1/web", "a2/web", "r1");
    assertThat(NameRange.select("a*/web", NAMES)).containsExactly("a1/web", "a2/web");
  }

  @Test
  void selectsNothingIfAPartIsMissing() {
    assertThat(NameRange.select("s1, x", NAMES)).isEmpty();
    assertThat(NameRange.select("s[1..3]", NAMES)).isEmpty();
  }
}

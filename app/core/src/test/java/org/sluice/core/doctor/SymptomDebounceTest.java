// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Set;
import org.junit.jupiter.api.Test;
import org.sluice.core.spi.Symptom;

class SymptomDebounceTest {
  private static final long START = Long.MAX_VALUE - 5; // The clock wraps, too.
  private static final Symptom ONE = Symptom.of(Symptom.Kind.RULE_PENDING, "of:1", "1");
  private static final Symptom TWO = Symptom.of(Symptom.Kind.RULE_PENDING, "of:1", "2");

  private final SymptomDebounce debounce = new SymptomDebounce();

  @Test
  void onlyLastingSymptomsAreReported() {
    debounce.seen(Set.of(ONE), START);
    assertThat(debounce.lasting(START + SymptomDebounce.LASTING_NANOS - 1)).isEmpty();
    debounce.seen(Set.of(ONE, TWO), START + SymptomDebounce.LASTING_NANOS);
    assertThat(debounce.lasting(START + SymptomDebounce.LASTING_NANOS)).containsExactly(ONE);
  }

  @Test
  void recurringSymptomIsDebouncedAgain() {
    debounce.seen(Set.of(ONE), START);
    debounce.seen(Set.of(), START + 1);
    debounce.seen(Set.of(ONE), START + 2);
    assertThat(debounce.lasting(START + SymptomDebounce.LASTING_NANOS + 1)).isEmpty();
    assertThat(debounce.lasting(START + SymptomDebounce.LASTING_NANOS + 2)).containsExactly(ONE);
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.sluice.onos.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Set;
import org.junit.jupiter.api.Test;

class PatienceTest {
  private static final long START = Long.MAX_VALUE - 5; // The clock wraps, too.
  private static final Trouble ONE = Trouble.of(Trouble.Kind.RULE_PENDING, "of:1", "1");
  private static final Trouble TWO = Trouble.of(Trouble.Kind.RULE_PENDING, "of:1", "2");

  private final Patience patience = new Patience();

  @Test
  void onlyWhatStaysIsTold() {
    patience.seen(Set.of(ONE), START);
    assertThat(patience.lasting(START + Patience.LASTING_NANOS - 1)).isEmpty();
    patience.seen(Set.of(ONE, TWO), START + Patience.LASTING_NANOS);
    assertThat(patience.lasting(START + Patience.LASTING_NANOS)).containsExactly(ONE);
  }

  @Test
  void whatPassesAndComesBackIsNew() {
    patience.seen(Set.of(ONE), START);
    patience.seen(Set.of(), START + 1);
    patience.seen(Set.of(ONE), START + 2);
    assertThat(patience.lasting(START + Patience.LASTING_NANOS + 1)).isEmpty();
    assertThat(patience.lasting(START + Patience.LASTING_NANOS + 2)).containsExactly(ONE);
  }
}

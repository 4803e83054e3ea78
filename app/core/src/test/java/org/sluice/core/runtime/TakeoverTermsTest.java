// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class TakeoverTermsTest {
  private final AtomicLong clock = new AtomicLong(1000);
  private final TakeoverTerms terms = new TakeoverTerms(clock::get);

  @Test
  void termLastsAsLongAsTheRole() {
    long term = terms.term("s1", 7L);
    clock.addAndGet(500);

    assertThat(terms.term("s1", 7L)).isEqualTo(term);
  }

  @Test
  void newTakeoverRaisesTheTermDespiteAClockStepBackwards() {
    long term = terms.term("s1", 7L);
    clock.addAndGet(-500);

    assertThat(terms.term("s1", 8L)).isGreaterThan(term);
  }

  @Test
  void restartWithoutClusterCountersRaisesTheTerm() {
    long term = terms.term("s1", 7L);
    clock.addAndGet(10);

    assertThat(new TakeoverTerms(clock::get).term("s1", 1L)).isGreaterThan(term);
  }

  @Test
  void termsOfDifferentRolesAreIndependent() {
    long term = terms.term("s1", 1L);
    clock.addAndGet(10);
    terms.term("s2", 1L);

    assertThat(terms.term("s1", 1L)).isEqualTo(term);
  }
}

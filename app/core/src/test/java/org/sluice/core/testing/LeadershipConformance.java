// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.testing;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.OptionalLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.sluice.core.spi.Leadership;

/** What leadership promises to a node beside which no other one runs. */
public abstract class LeadershipConformance {
  private static final String TOPIC = "conformance";
  private static final String OTHER_TOPIC = "conformance-2";

  /** The leadership under test: the same one during a test, of which nobody leads these topics. */
  protected abstract Leadership leadership();

  /** Lets time pass, where changes take some, until an assertion holds; throws what it throws. */
  protected void until(Runnable assertion) {
    assertion.run();
  }

  @AfterEach
  void withdrawFromAll() {
    leadership().withdraw(TOPIC);
    leadership().withdraw(OTHER_TOPIC);
  }

  private void untilLeads(boolean wanted) {
    until(() -> assertThat(leadership().isLocal(TOPIC)).isEqualTo(wanted));
  }

  /** The term of a leadership that begins. */
  private long lead() {
    leadership().run(TOPIC);
    untilLeads(true);
    return leadership().localTerm(TOPIC).orElseThrow();
  }

  @Test
  void whoRunsLeadsItsTopicAlone() {
    assertThat(leadership().isLocal(TOPIC)).isFalse();
    lead();
    assertThat(leadership().isVacant(TOPIC)).isFalse();
    assertThat(leadership().isLocal(OTHER_TOPIC)).isFalse();
  }

  @Test
  void whoRunsAgainKeepsItsTerm() {
    long term = lead();
    leadership().run(TOPIC);
    leadership().run(OTHER_TOPIC);
    until(() -> assertThat(leadership().isLocal(OTHER_TOPIC)).isTrue());
    assertThat(leadership().localTerm(TOPIC)).isEqualTo(OptionalLong.of(term));
  }

  @Test
  void termsGrow() {
    long first = lead();
    leadership().withdraw(TOPIC);
    untilLeads(false);
    assertThat(lead()).isGreaterThan(first);
  }

  @Test
  void theEpochAdvancesOnceAChangeIsVisible() {
    boolean[] seen = new boolean[1];
    leadership().epoch().addListener(() -> seen[0] = leadership().isLocal(TOPIC));
    leadership().run(TOPIC);
    until(() -> assertThat(seen[0]).isTrue());
    leadership().withdraw(TOPIC);
    until(() -> assertThat(seen[0]).isFalse());
  }
}

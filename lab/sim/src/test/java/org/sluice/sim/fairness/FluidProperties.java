// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.fairness;

import static org.assertj.core.api.Assertions.assertThat;

import net.jqwik.api.Arbitrary;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/**
 * What the controller decides, beside hosts that do at once what it says, comes to the reference's
 * shares, before and after some endpoints pause: in {@link Domain}. Seeds are fixed, so that a
 * change decides and not luck: of 12,000 cases 4 are more than 3 % off, by 3.2 % at most. {@code
 * make bench-fairness} draws others, and outside of the domain.
 */
class FluidProperties {
  private static final double TOLERANCE = 0.03;
  private static final CaseKind.Size SIZE = new CaseKind.Size(6, 8, 8, 100, 1000);

  private static void check(FairnessCase drawn) {
    FairnessCase inside = Domain.inside(drawn);
    Outcome worst = Outcome.worst(new FluidRun(inside).run());
    assertThat(worst.error()).as("%s of %s", worst, inside).isLessThan(TOLERANCE);
  }

  @Property(tries = 50, seed = "1", edgeCases = EdgeCasesMode.NONE)
  void sharesAgreeAtOnePort(@ForAll("onePorts") FairnessCase drawn) {
    check(drawn);
  }

  @Property(tries = 60, seed = "2", edgeCases = EdgeCasesMode.NONE)
  void sharesAgreeAtPortsInSeries(@ForAll("chains") FairnessCase drawn) {
    check(drawn);
  }

  @Property(tries = 60, seed = "3", edgeCases = EdgeCasesMode.NONE)
  void sharesAgreeInTrees(@ForAll("trees") FairnessCase drawn) {
    check(drawn);
  }

  @Provide
  Arbitrary<FairnessCase> onePorts() {
    return Cases.of(CaseKind.ONE_PORT, SIZE);
  }

  @Provide
  Arbitrary<FairnessCase> chains() {
    return Cases.of(CaseKind.CHAIN, SIZE);
  }

  @Provide
  Arbitrary<FairnessCase> trees() {
    return Cases.of(CaseKind.TREE, SIZE);
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.sluice.engine.control.OnePort.Member;
import org.sluice.engine.control.OnePort.Source;

/** Two endpoints that cross one of two equal ports of 1 Gbit/s, nobody knows which. */
class SpreadLoanTest {
  private static final long MS = 1_000_000L;
  private static final double ALL = Double.POSITIVE_INFINITY;

  private final Loans loans = new Loans();

  private static OnePort port(double fraction) {
    Source one = new Source(1, 0, 0, ALL, fraction);
    Source other = new Source(1, 0, 0, ALL, fraction);
    return new OnePort(1e9, List.of(new Member(false, 1, 0, 0, List.of(one, other))), 0);
  }

  private double lent(OnePort port, double one, double other, long now) {
    port.update(new double[] {one, other}, new boolean[] {true, true}, now);
    port.compute();
    return port.lentPart(loans, now);
  }

  /** Both cross the same port, which carries 500 Mbit/s of each: half of both ports is free. */
  @Test
  void lentPartGrowsByWhatEqualPortsHaveFree() {
    OnePort port = port(0.5);
    lent(port, 500e6, 500e6, MS);
    assertThat(lent(port, 500e6, 500e6, 11 * MS)).isCloseTo(11 * 0.01 * 0.485, within(1e-4));
    assertThat(loans.areSpread()).isTrue();
  }

  /** One has 1.2 of its share, so it may try 1.45; the other one would, too. */
  @Test
  void lentPartIsHardlyMoreThanSomebodyBorrows() {
    OnePort port = port(0.5);
    lent(port, 500e6, 1000e6, MS);
    assertThat(lent(port, 500e6, 1000e6, 1001 * MS)).isCloseTo(0.25, within(1e-9));
    assertThat(lent(port, 500e6, 1200e6, 2001 * MS)).isCloseTo(0.45, within(1e-3));
  }

  @Test
  void nothingIsLentWhileEqualPortsAreFull() {
    OnePort port = port(0.5);
    lent(port, 500e6, 500e6, MS);
    lent(port, 500e6, 500e6, 101 * MS);
    assertThat(lent(port, 1000e6, 1000e6, 3101 * MS)).isZero();
  }

  /** Who waits for a share and has not got it is held back by marks. */
  @Test
  void nothingIsLentWhereThePathIsKnown() {
    OnePort port = port(1);
    lent(port, 100e6, 100e6, MS);
    assertThat(lent(port, 100e6, 100e6, 1001 * MS)).isZero();
    assertThat(loans.areSpread()).isFalse();
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.report;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class NumbersTest {
  @ParameterizedTest
  @CsvSource({
    "416.4321,416.4",
    "0.98765,0.9877",
    "12345.67,12346",
    "0.000000043,0",
    "-3,-3",
    "0,0",
    "NaN,-",
    "100,100"
  })
  void areShownWithFourDigits(double value, String expected) {
    assertThat(Numbers.shown(value)).isEqualTo(expected);
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.sluice.api;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MilliTimeTest {
  /** What is requested as it was shown is not earlier than what was meant. */
  @ParameterizedTest
  @CsvSource({
    "0, 0 ms",
    "80211000, 80.22 ms",
    "300000000, 300 ms",
    "1997345000, 1998 ms",
    "12345678901, 12.35 s",
    "7435249916000, 124 min",
    "90000000000000, 25 h",
    "-1500000, -1.5 ms",
    "250, 0.00025 ms"
  })
  void textHasFourDigitsAndAUnit(long nanos, String text) {
    assertThat(MilliTime.text(nanos)).isEqualTo(text);
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.sluice.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.math.BigDecimal;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.LongRange;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class MegabitRateTest {

  @ParameterizedTest
  @CsvSource({"0, 0", "50000000, 50", "1, 0.000001", "12500000, 12.5", "1000000000000, 1000000"})
  void writesNoNeedlessDecimalsAndNoExponent(long bits, String megabits) {
    assertThat(MegabitRate.fromBits(bits).toString()).isEqualTo(megabits);
  }

  @ParameterizedTest
  @CsvSource({
    "0, 0 Mbit/s, none",
    "6468123, 6.468123 Mbit/s, 6.468123 Mbit/s",
    "50000000, 50 Mbit/s, 50 Mbit/s"
  })
  void formatsConfiguredRatesExactly(long bits, String exact, String orNone) {
    assertThat(MegabitRate.text(bits)).isEqualTo(exact);
    assertThat(MegabitRate.textOrNone(bits)).isEqualTo(orNone);
  }

  @ParameterizedTest
  @CsvSource({
    "0, 0 Mbit/s",
    "6468123, 6.47 Mbit/s",
    "12345678901, 12300 Mbit/s",
    "999, 0.000999 Mbit/s"
  })
  void formatsMeasuredRatesToThreeDigits(double bits, String text) {
    assertThat(MegabitRate.measured(bits)).isEqualTo(text);
  }

  @Property
  void textKeepsTheExactRate(@ForAll @LongRange(max = Tenant.MAX_RATE_BITS_PER_SECOND) long bits)
      throws SluiceException {
    assertThat(MegabitRate.toBits("rate", MegabitRate.fromBits(bits))).isEqualTo(bits);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"-1", "-1E-99", "1000000.000001", "1E+999999999", "0.0000001", "1E-999999999"})
  void rejectsRatesOutOfRangeOrTooFine(String megabits) {
    assertThatThrownBy(() -> MegabitRate.toBits("rate", new BigDecimal(megabits)))
        .isInstanceOfSatisfying(
            SluiceException.class,
            e -> {
              assertThat(e.field()).contains("rate");
              assertThat(e.value()).isEqualTo(new BigDecimal(megabits).toString());
              assertThat(e.remedy()).isNotBlank();
            });
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.sluice.api;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class LawTest {
  @ParameterizedTest
  @CsvSource({"SLUICE, sluice", "SDN_GCC, sdn-gcc", "HYGENICC, hygenicc"})
  void isParsedFromItsConfigurationName(Law law, String name) {
    assertThat(law.configurationName()).isEqualTo(name);
    assertThat(Law.parse(name)).hasValue(law);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "paper", "SLUICE", "sdn_gcc", "sluice "})
  void otherNamesAreRejected(String name) {
    assertThat(Law.parse(name)).isEmpty();
  }

  @Test
  void namesAreAllDifferent() {
    assertThat(Law.values()).extracting(Law::configurationName).doesNotHaveDuplicates();
  }
}

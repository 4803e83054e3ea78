// SPDX-License-Identifier: Apache-2.0
package org.sluice.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PortIdTest {
  /** Ids are compared as text, here and by agents: another spelling would be another port. */
  @ParameterizedTest
  @CsvSource({
    "of:000000000000000A/5, of:000000000000000a/5",
    "of:b/1, of:000000000000000b/1",
    "OF:0000000000000001/5, of:0000000000000001/5",
    "of:0000000000000001/05, of:0000000000000001/5",
    "of:FFFFFFFFFFFFFFFF/0000000010, of:ffffffffffffffff/10",
  })
  void anotherSpellingIsRefusedWithTheRightOne(String spelled, String right) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> PortId.parse(spelled))
        .withMessage("'%s' is not how this port is written: use %s", spelled, right);
    assertThat(PortId.parse(right)).hasToString(right);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "of:00000000000000001/5",
        "of:000000000000000g/5",
        "of:/5",
        "of:0000000000000001/00000000005",
        "of:0000000000000001/4294967296",
        "of:000000000000000A/4294967296",
        "netconf:10.0.0.1/05",
      })
  void whatIsNoPortIsRefused(String text) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> PortId.parse(text))
        .withMessageContaining("is not a port");
  }

  @ParameterizedTest
  @ValueSource(strings = {"of:0000000000000001/0", "netconf:10.0.0.1/5", "host:h1/vm05"})
  void textIsReadAsItIsWritten(String text) {
    assertThat(PortId.parse(text)).hasToString(text);
  }
}

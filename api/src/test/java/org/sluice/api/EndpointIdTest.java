// SPDX-License-Identifier: Apache-2.0
package org.sluice.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class EndpointIdTest {
  @ParameterizedTest
  @ValueSource(strings = {"vm0", "vm0.100", "tap0123456789a.4094"})
  void parsesItsOwnText(String interfaceName) {
    EndpointId id = EndpointId.of(HostId.of("h1"), interfaceName);
    assertThat(EndpointId.parse(id.toString())).isEqualTo(id);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "h1",
        "/vm0",
        "h1/",
        "h1/vm 0",
        "h1/a/b",
        "h 1/vm0",
        "h1/tap0123456789abc.40940"
      })
  void rejectsInvalidEndpointIds(String text) {
    assertThatThrownBy(() -> EndpointId.parse(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("is no");
  }
}

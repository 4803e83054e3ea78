// SPDX-License-Identifier: Apache-2.0
package org.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.sluice.api.IpAddress;

class SwitchSetupTest {

  @Test
  void addsEveryNodeAndReplacesNothing() {
    SwitchSetup setup =
        new SwitchSetup(
            "br0", List.of(IpAddress.parse("10.9.0.1"), IpAddress.parse("fd00::2")), 6654);

    assertThat(setup.command())
        .isEqualTo(
            "ovs-vsctl -- --id=@sluice1 create Controller 'target=\"tcp:10.9.0.1:6654\"'"
                + " -- add Bridge br0 controller @sluice1"
                + " -- --id=@sluice2 create Controller 'target=\"tcp:[fd00::2]:6654\"'"
                + " -- add Bridge br0 controller @sluice2");
    assertThat(SwitchSetupCommand.LISTING.json(List.of(setup)).toString())
        .contains("\"targets\":[\"tcp:10.9.0.1:6654\",\"tcp:[fd00::2]:6654\"]");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "br 0", "br0; reboot", "-br0", "a-name-of-16-char"})
  void rejectsInvalidBridgeNames(String typed) {
    assertThatThrownBy(() -> SwitchSetup.bridge(typed))
        .isInstanceOf(IllegalArgumentException.class);
  }
}

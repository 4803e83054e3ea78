// SPDX-License-Identifier: Apache-2.0
package org.sluice.odl;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.sluice.api.PortId;

class DatapathsTest {
  @Test
  void aSwitchIsNamedInHexadecimalAndInDecimal() {
    assertThat(Datapaths.datapath("openflow:10")).contains("of:000000000000000a");
    assertThat(Datapaths.nodeId("of:000000000000000a")).isEqualTo("openflow:10");
  }

  @Test
  void theHighestDatapathIsNoNegativeNumber() {
    assertThat(Datapaths.datapath("openflow:18446744073709551615")).contains("of:ffffffffffffffff");
    assertThat(Datapaths.nodeId("of:ffffffffffffffff")).isEqualTo("openflow:18446744073709551615");
  }

  @Test
  void aPortIsTheNumberAfterTheSwitch() {
    assertThat(Datapaths.port("openflow:1:2")).contains(PortId.of("of:0000000000000001", 2));
  }

  @Test
  void whatIsNoOpenFlowPortIsNone() {
    assertThat(Datapaths.port("openflow:1:LOCAL")).isEmpty();
    assertThat(Datapaths.port("host:00:00:00:00:00:01")).isEmpty();
    assertThat(Datapaths.port("1")).isEmpty();
    assertThat(Datapaths.datapath("netconf-device")).isEmpty();
  }
}

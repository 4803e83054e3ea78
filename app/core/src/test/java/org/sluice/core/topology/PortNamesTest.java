// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.topology;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.sluice.api.HostId;
import org.sluice.api.PortId;
import org.sluice.api.topology.Attachment;
import org.sluice.api.topology.NetworkTopology;
import org.sluice.api.topology.SwitchLink;
import org.sluice.api.topology.SwitchStatus;
import org.sluice.core.testing.VirtualTime;

class PortNamesTest {
  private static final String S1 = "of:0000000000000001";
  private static final String S2 = "of:0000000000000002";

  private final VirtualTime time = new VirtualTime();
  private NetworkTopology topology = NetworkTopology.of(List.of(), List.of(), List.of());
  private final PortNames names =
      new PortNames(
          port -> port.number() == 9 ? Optional.empty() : Optional.of("s1:" + port.number()),
          () -> topology,
          time);

  @AfterEach
  void stop() {
    names.stop();
  }

  private static Attachment attached(String host, long port) {
    return Attachment.of(Optional.of(host).map(HostId::of), PortId.of(S1, port));
  }

  private void look() {
    topology =
        NetworkTopology.of(
            List.of(
                SwitchStatus.of(S1, "s1", true, OptionalInt.of(0)),
                SwitchStatus.of(S2, "s2", true, OptionalInt.of(0))),
            List.of(SwitchLink.of(PortId.of(S1, 5), PortId.of(S2, 1))),
            List.of(
                attached("h1", 1),
                attached("h2", 2),
                attached("h3", 2),
                Attachment.of(Optional.empty(), PortId.of(S1, 3)),
                attached("h9", 9)));
    names.start();
    time.advanceMillis(2_000);
  }

  private Optional<String> name(long port) {
    return names.name(PortId.of(S1, port));
  }

  @Test
  void namesSayWherePortsLead() {
    look();
    assertThat(name(5)).contains("s1:5 -> s2");
    assertThat(name(1)).contains("s1:1 -> h1");
    assertThat(name(2)).contains("s1:2 -> h2 +1");
    assertThat(name(3)).as("machines that no agent reports").contains("s1:3");
  }

  @Test
  void portsWithoutANameHaveTheirIdAlone() {
    look();
    assertThat(name(9)).isEmpty();
  }

  @Test
  void namesFollowTheTopology() {
    look();
    topology = NetworkTopology.of(List.of(), List.of(), List.of());
    time.advanceMillis(2_000);
    assertThat(name(5)).contains("s1:5");
  }
}

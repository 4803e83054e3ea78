// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.silent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.sluice.core.testing.Samples.endpointId;
import static org.sluice.core.testing.Samples.port;

import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.sluice.api.HostId;
import org.sluice.api.PortId;
import org.sluice.engine.control.EndpointShare;

class NodeViewTest {
  private static final Set<HostId> SILENT = Set.of(HostId.of("h1"), HostId.of("h2"));

  private static EndpointShare share(String port, long bitsPerSecond) {
    return new EndpointShare(EndpointShare.UNBOUNDED, Optional.of(port(port)), bitsPerSecond, 77);
  }

  @Test
  void parsesItsOwnText() {
    EndpointShare atReceiver =
        new EndpointShare(
            EndpointShare.UNBOUNDED, Optional.of(PortId.ofReceiver(HostId.of("h5"), "vm0")), 5, 6);
    NodeView view =
        new NodeView(
            SILENT,
            Map.of(endpointId("h1/vm0"), share("s1/5", 12_345), endpointId("h2/vm1"), atReceiver));

    NodeView read = NodeView.decode(view.encode(9));

    assertThat(read.silent()).isEqualTo(SILENT);
    assertThat(read.encode(9)).isEqualTo(view.encode(9));
    assertThat(NodeView.decode(NodeView.EMPTY.encode(1)).silent()).isEmpty();
  }

  @Test
  void smallChangesAreNotPublished() {
    NodeView before = new NodeView(SILENT, Map.of(endpointId("h1/vm0"), share("s1/5", 1000)));
    assertThat(with(share("s1/5", 1050)).differsFrom(before)).isFalse();
    assertThat(with(share("s1/5", 1051)).differsFrom(before)).isTrue();
    assertThat(with(share("s1/5", 949)).differsFrom(before)).isTrue();
    assertThat(with(share("s1/6", 1000)).differsFrom(before)).isTrue();
    assertThat(new NodeView(SILENT, Map.of()).differsFrom(before)).isTrue();
    assertThat(NodeView.EMPTY.differsFrom(new NodeView(SILENT, Map.of()))).isTrue();
  }

  private static NodeView with(EndpointShare share) {
    return new NodeView(SILENT, Map.of(endpointId("h1/vm0"), share));
  }

  @Test
  void invalidTextIsRejected() {
    assertThatThrownBy(() -> NodeView.decode("1\nh1 vm0"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("h1 vm0");
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.sluice.forwarding;

import org.junit.jupiter.api.Nested;
import org.sluice.forwarding.pipeline.EdgeLimitConformance;
import org.sluice.forwarding.pipeline.NeighbourProxyConformance;
import org.sluice.forwarding.pipeline.SwitchCapsConformance;
import org.sluice.forwarding.switchflows.SwitchFlowsConformance;
import org.sluice.forwarding.testing.FabricNode;
import org.sluice.forwarding.testing.MemoryFabric;
import org.sluice.forwarding.testing.NodeUnderTest;

/** Forwarding on the platform in memory, in virtual time. */
class MemoryConformanceTest {
  private static NodeUnderTest node() {
    return new FabricNode(new MemoryFabric());
  }

  @Nested
  class Interfaces extends PlatformConformance {
    Interfaces() {
      super(node());
    }
  }

  @Nested
  class Caps extends SwitchCapsConformance {
    Caps() {
      super(node());
    }
  }

  @Nested
  class Limits extends EdgeLimitConformance {
    Limits() {
      super(node());
    }
  }

  @Nested
  class Neighbours extends NeighbourProxyConformance {
    Neighbours() {
      super(node());
    }
  }

  @Nested
  class Flows extends SwitchFlowsConformance {
    Flows() {
      super(node());
    }
  }
}

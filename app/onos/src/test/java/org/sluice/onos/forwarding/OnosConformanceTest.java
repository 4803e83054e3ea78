// SPDX-License-Identifier: Apache-2.0
package org.sluice.onos.forwarding;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.sluice.forwarding.PlatformConformance;
import org.sluice.forwarding.pipeline.EdgeLimitConformance;
import org.sluice.forwarding.pipeline.NeighbourProxyConformance;
import org.sluice.forwarding.pipeline.SwitchCapsConformance;
import org.sluice.forwarding.switchflows.SwitchFlowsConformance;
import org.sluice.forwarding.testing.NodeUnderTest;
import org.sluice.onos.testing.OnosWorld;
import org.sluice.onos.testing.SluiceNode;

/** Forwarding in ONOS's real managers, over simulated switches. */
@Execution(ExecutionMode.CONCURRENT)
class OnosConformanceTest {
  private static NodeUnderTest node() {
    return new SluiceNode(new OnosWorld());
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

// SPDX-License-Identifier: Apache-2.0
package org.sluice.forwarding;

import org.junit.jupiter.api.Nested;
import org.sluice.forwarding.pipeline.EdgeLimitConformance;
import org.sluice.forwarding.pipeline.NeighbourProxyConformance;
import org.sluice.forwarding.pipeline.SwitchCapsConformance;
import org.sluice.forwarding.switchflows.SwitchFlowsConformance;
import org.sluice.forwarding.testing.NodeUnderTest;

/** The whole kit: what a platform's adapter, and forwarding on it, have to do. */
public abstract class ForwardingConformance {

  /** A node of the platform, with its network, for one test. */
  protected abstract NodeUnderTest node();

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

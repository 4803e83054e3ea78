// SPDX-License-Identifier: Apache-2.0
package org.sluice.odl.openflow;

import org.junit.jupiter.api.Nested;
import org.sluice.forwarding.PlatformConformance;
import org.sluice.forwarding.pipeline.EdgeLimitConformance;
import org.sluice.forwarding.pipeline.NeighbourProxyConformance;
import org.sluice.forwarding.pipeline.SwitchCapsConformance;
import org.sluice.forwarding.spi.ForwardingPlatform;
import org.sluice.forwarding.switchflows.SwitchFlowsConformance;
import org.sluice.forwarding.testing.FabricNode;
import org.sluice.forwarding.testing.FabricUnderTest;
import org.sluice.forwarding.testing.NodeUnderTest;

/** Forwarding over openflowplugin's services, in virtual time. */
class OdlConformanceTest {
  private static NodeUnderTest node() {
    OdlFabric network = new OdlFabric();
    return new FabricNode(network.memory) {
      @Override
      public FabricUnderTest fabric() {
        return network;
      }

      @Override
      protected ForwardingPlatform begin() {
        return network.begin();
      }

      @Override
      protected void end() {
        network.end();
      }
    };
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

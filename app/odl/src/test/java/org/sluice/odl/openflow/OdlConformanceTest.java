// SPDX-License-Identifier: Apache-2.0
package org.sluice.odl.openflow;

import org.sluice.forwarding.ForwardingConformance;
import org.sluice.forwarding.spi.ForwardingPlatform;
import org.sluice.forwarding.testing.FabricNode;
import org.sluice.forwarding.testing.FabricUnderTest;
import org.sluice.forwarding.testing.NodeUnderTest;

/** Forwarding over openflowplugin's services, in virtual time. */
class OdlConformanceTest extends ForwardingConformance {
  @Override
  protected NodeUnderTest node() {
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
}

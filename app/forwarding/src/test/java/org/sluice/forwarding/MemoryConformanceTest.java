// SPDX-License-Identifier: Apache-2.0
package org.sluice.forwarding;

import org.sluice.forwarding.testing.FabricNode;
import org.sluice.forwarding.testing.MemoryFabric;
import org.sluice.forwarding.testing.NodeUnderTest;

/** Forwarding on the platform in memory, in virtual time. */
class MemoryConformanceTest extends ForwardingConformance {
  @Override
  protected NodeUnderTest node() {
    return new FabricNode(new MemoryFabric());
  }
}

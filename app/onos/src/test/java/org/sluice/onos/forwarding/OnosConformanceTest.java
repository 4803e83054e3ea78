// SPDX-License-Identifier: Apache-2.0
package org.sluice.onos.forwarding;

import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.sluice.forwarding.ForwardingConformance;
import org.sluice.forwarding.testing.NodeUnderTest;
import org.sluice.onos.testing.OnosWorld;
import org.sluice.onos.testing.SluiceNode;

/** Forwarding in ONOS's real managers, over simulated switches. */
@Execution(ExecutionMode.CONCURRENT)
class OnosConformanceTest extends ForwardingConformance {
  @Override
  protected NodeUnderTest node() {
    return new SluiceNode(new OnosWorld());
  }
}

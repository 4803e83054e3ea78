// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.platform;

import org.sluice.forwarding.StandingConformance;

/** What forwarding stands on in a simulated network; nothing fails between it and its switches. */
class SimulatedConformanceTest extends StandingConformance {
  SimulatedConformanceTest() {
    super(new SimulatedFabric());
  }
}

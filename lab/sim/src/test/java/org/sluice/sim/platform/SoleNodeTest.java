// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.platform;

import org.sluice.core.spi.Leadership;
import org.sluice.core.testing.LeadershipConformance;

class SoleNodeTest extends LeadershipConformance {
  private final Leadership leadership = new SoleNode().leadership();

  @Override
  protected Leadership leadership() {
    return leadership;
  }
}

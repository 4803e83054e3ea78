// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.testing;

import org.sluice.core.spi.Leadership;

class MemoryLeadershipTest extends LeadershipConformance {
  private final Leadership leadership = new MemoryCluster(new VirtualTime()).join("c1");

  @Override
  protected Leadership leadership() {
    return leadership;
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.sluice.standalone.store;

import org.sluice.core.spi.Leadership;
import org.sluice.core.testing.LeadershipConformance;

class SoleNodeTest extends LeadershipConformance {
  private final SoleNode node = new SoleNode("n1");

  @Override
  protected Leadership leadership() {
    return node;
  }
}

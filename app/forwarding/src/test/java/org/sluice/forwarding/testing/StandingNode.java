// SPDX-License-Identifier: Apache-2.0
package org.sluice.forwarding.testing;

import org.sluice.forwarding.spi.ForwardingPlatform;

/** A node of a platform, with its network. */
public interface StandingNode {

  StandingFabric fabric();

  /** What forwarding stands on, alone: instead of a start. */
  ForwardingPlatform platform();
}

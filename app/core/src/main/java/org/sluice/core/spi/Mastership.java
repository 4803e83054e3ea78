// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.spi;

import java.util.Optional;

/** Which node of the cluster is the master of a switch. */
public interface Mastership {

  /** Advances whenever a switch may have another master. */
  Epoch epoch();

  /** Whether this node is the switch's master. */
  boolean isLocal(String datapath);

  /** The node that is the switch's master; empty: none is. */
  Optional<String> masterOf(String datapath);

  /** The number of the switch's mastership in the cluster: another one is another takeover. */
  long takeover(String datapath);
}

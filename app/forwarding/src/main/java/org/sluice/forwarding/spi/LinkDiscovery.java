// SPDX-License-Identifier: Apache-2.0
package org.sluice.forwarding.spi;

import java.util.Collection;
import org.sluice.core.spi.Epoch;

/** The links between switches as the platform discovers them. */
public interface LinkDiscovery {

  /** Advances whenever a link was found or given up. */
  Epoch epoch();

  /** Links that are up now; each direction is one of its own. Nobody has checked them. */
  Collection<Link> links();
}

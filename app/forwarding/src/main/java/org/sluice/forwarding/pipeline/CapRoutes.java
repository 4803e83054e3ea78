// SPDX-License-Identifier: Apache-2.0
package org.sluice.forwarding.pipeline;

import java.util.Optional;
import org.sluice.api.IpAddress;

/** How switches reach destinations now. */
public interface CapRoutes {

  /** The one port by which all goes to an address; empty: none, or several share it. */
  Optional<Long> onlyPort(String datapath, IpAddress to);
}

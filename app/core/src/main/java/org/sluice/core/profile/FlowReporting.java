// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.profile;

import org.sluice.core.spi.Epoch;

/** Whether hosts are to report the TCP connections of their endpoints. */
public interface FlowReporting {

  /** Advances whenever {@link #isWanted} may answer otherwise. */
  Epoch epoch();

  /** Whether they are, since somebody has a deadline. */
  boolean isWanted();
}

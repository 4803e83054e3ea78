// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.deadline;

import org.sluice.api.link.WindowGrant;

/** Takes window grants to the hosts of the flows' sources. Called within {@link Deadlines#tick}. */
public interface GrantSink {

  /** A flow's grant is new, has changed, or has ended. */
  void grant(WindowGrant grant);
}

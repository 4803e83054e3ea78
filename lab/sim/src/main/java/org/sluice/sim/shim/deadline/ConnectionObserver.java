// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.shim.deadline;

import org.sluice.api.deadline.FlowKey;

/** Is notified by a host's shim of what its connections do. */
public interface ConnectionObserver {
  /** A virtual machine of this host has opened a connection: its SYN is in transit. */
  void opened(FlowKey connection);

  /**
   * So much of a connection has arrived at the other end.
   *
   * @param deliveredBytes of payload, since its beginning
   * @param roundTripNanos the latest; 0 without any
   */
  void progressed(FlowKey connection, long deliveredBytes, long roundTripNanos);

  /** A connection has ended: all until its FIN has arrived. */
  void closed(FlowKey connection, long deliveredBytes);
}

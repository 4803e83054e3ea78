// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.control;

import org.sluice.api.EndpointId;
import org.sluice.api.HostId;
import org.sluice.api.link.UnitShare;
import org.sluice.engine.Engine;

/**
 * Takes decisions to hosts. Called only from within {@link Engine#tick} and on its thread, one call
 * per decision; collect them per host and send when the tick returns. The arguments are immutable
 * and may be kept; a refresh hands in the same object again. Only a {@link NoticeDraft} holds just
 * during the call.
 */
public interface DecisionSink {

  /**
   * What weight 1 may send through a congested port, for the host's endpoints that use it. With
   * {@code expired} it is the last about this port.
   */
  void unitShare(HostId host, UnitShare share);

  /**
   * How many marks one of the host's endpoints caused at a port: under SDN-GCC, and under Sluice's
   * law where receivers do not report marks to senders themselves.
   */
  void notice(HostId host, NoticeDraft notice);

  /**
   * What an endpoint may send of its tenant's ceiling, bit/s, from now on; 0: its tenant has none,
   * or does not share it any longer. All nodes decide so; the profiles' leader publishes.
   */
  void ceiling(EndpointId endpoint, long bitsPerSecond);
}

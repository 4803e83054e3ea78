// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.platform;

import org.sluice.api.link.DownlinkMessage;
import org.sluice.api.link.HostHello;

/** An agent, as a controller's link sees it: of a host, or of a switch's queues. */
public interface Agent {

  /** How it introduces itself now. */
  HostHello hello();

  /** A session with the controller begins: it has said hello. */
  void sessionBegan();

  /** The session is over. */
  void sessionEnded();

  /** A message of the controller has arrived. */
  void received(DownlinkMessage message);
}

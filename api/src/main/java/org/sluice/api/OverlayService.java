// SPDX-License-Identifier: Apache-2.0
package org.sluice.api;

/** Congested links and limited endpoints in the topology view of the controller's own page. */
public interface OverlayService {

  /** Whether they are highlighted there. */
  boolean isOn();

  /** Has them highlighted, or not any longer, on all nodes, and remembers it. */
  void switchTo(boolean on);

  /** Whether this controller has a page of its own at all. */
  boolean hasView();
}

// SPDX-License-Identifier: Apache-2.0
package org.sluice.api.link;

/** Receives what hosts report. An {@link UplinkHandler} is one with a method for each kind. */
@FunctionalInterface
public interface AgentLinkListener {

  /**
   * A host reported something, or its session opened or ended. Called from the link's threads, in
   * order per host: implementations hand the immutable message on and return at once.
   */
  void received(UplinkMessage message);
}

// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.traffic;

import org.sluice.api.EndpointId;
import org.sluice.api.IpAddress;

/** Takes what could not be used of what hosts report and operators set. */
public interface RefusalSink {

  /** No path of a pair is known, so that its marks cannot be used. */
  void pathUnknown(EndpointId source, IpAddress destination);

  /** An endpoint claims an address that another one claimed first. */
  void claimRefused(EndpointId claimant, EndpointId holder, IpAddress ip);

  /**
   * A host reports more pairs than it may have; reported once a minute.
   *
   * @param endpoint the first one whose new pair was not taken in
   * @param pairs how many its host has
   */
  void pairsRefused(EndpointId endpoint, int pairs);
}

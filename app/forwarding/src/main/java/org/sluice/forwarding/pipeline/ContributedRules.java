// SPDX-License-Identifier: Apache-2.0
package org.sluice.forwarding.pipeline;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.sluice.forwarding.spi.Match;
import org.sluice.forwarding.spi.Rule;

/**
 * Rules of other parts of the application beside those of {@code forwarding = own}: {@link
 * Forwarding} brings them to switches, keeps them there, and takes them back with its own. There
 * are none where somebody else forwards.
 */
public interface ContributedRules {

  /**
   * A rule that copies what it matches to the controller; all of it is forwarded as it would be
   * without.
   *
   * @param match of IPv4 or IPv6 packets
   */
  Rule copy(String datapath, Match match);

  /**
   * Rules that drop what a switch would else send to the controller from behind a port: packets to
   * unknown addresses and questions of ARP and neighbour discovery, or the answers to those.
   */
  List<Rule> ignore(Punts.Pause pause);

  /** Replaces all that the same part gave before. */
  void set(Class<?> part, Map<String, ? extends Collection<Rule>> rules);
}

// SPDX-License-Identifier: Apache-2.0
package org.sluice.forwarding.spi;

import java.util.Collection;
import java.util.List;
import java.util.Optional;
import org.sluice.core.spi.Epoch;

/**
 * Sluice's select groups on switches, as the platform keeps them: each spreads flows evenly over
 * some ports. No call waits for a switch.
 */
public interface GroupTable {

  /** Advances whenever a group was confirmed or removed. */
  Epoch epoch();

  /** Sluice's groups of a switch, those of an earlier life among them. */
  Collection<Group> groups(String datapath);

  Optional<Group> group(String datapath, String name);

  /** Sends a group to a switch. */
  void add(String datapath, String name, List<Long> ports);

  /** Takes a group back; a switch drops the rules that use it, too. */
  void remove(String datapath, String name);
}

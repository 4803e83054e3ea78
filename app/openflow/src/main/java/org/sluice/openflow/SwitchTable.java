// SPDX-License-Identifier: Apache-2.0
package org.sluice.openflow;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Which connection is which switch's. A second one of the same switch is refused while the first is
 * alive, else the two would take the switch from each other for ever; it replaces one that has
 * fallen silent, as after a restart that nobody saw. Thread-safe.
 */
final class SwitchTable {
  private final Map<String, SwitchConnection> byDatapath = new HashMap<>();

  /**
   * Makes a connection a switch's.
   *
   * @return whether it may
   */
  synchronized boolean claim(String datapath, SwitchConnection connection) {
    SwitchConnection before = byDatapath.get(datapath);
    if (before != null && before != connection) {
      if (before.isAlive()) {
        return false;
      }
      before.close("its switch connected anew");
    }
    byDatapath.put(datapath, connection);
    return true;
  }

  /** The connection is gone. */
  synchronized void release(String datapath, SwitchConnection connection) {
    byDatapath.remove(datapath, connection);
  }

  synchronized Optional<SwitchConnection> find(String datapath) {
    return Optional.ofNullable(byDatapath.get(datapath));
  }

  synchronized List<SwitchConnection> all() {
    return new ArrayList<>(byDatapath.values());
  }
}

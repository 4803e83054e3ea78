// SPDX-License-Identifier: Apache-2.0
package org.sluice.forwarding.pipeline;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.sluice.forwarding.spi.Rule;
import org.sluice.forwarding.spi.RuleTable;
import org.sluice.forwarding.spi.RuleTable.Entry;
import org.sluice.forwarding.spi.RuleTable.State;

/** Makes the flow tables what they should be: reads before it writes, writes the difference. */
final class RuleReconciler {
  private final RuleTable table;

  RuleReconciler(RuleTable table) {
    this.table = table;
  }

  /**
   * Brings a switch's rules to those wanted.
   *
   * @param uncertain rules that stay, as they are, if they stand
   * @param again also sends rules that the platform takes for installed: the switch may have lost
   *     them
   * @return how many rules were added or removed
   */
  int reconcile(String datapath, Collection<Rule> wanted, Set<Rule.Key> uncertain, boolean again) {
    Map<Rule.Key, Entry> present = new HashMap<>();
    List<Entry> toRemove = new ArrayList<>();
    for (Entry entry : table.entries(datapath)) {
      if (entry.key().isPresent()) {
        present.put(entry.key().get(), entry);
      } else if (isRemovable(entry)) {
        toRemove.add(entry);
      }
    }
    List<Rule> toAdd = new ArrayList<>();
    for (Rule rule : wanted) {
      Entry entry = present.remove(rule.key());
      if (again
          || entry == null
          || !stands(entry)
          || !entry.treatment().equals(Optional.of(rule.treatment()))) {
        toAdd.add(rule);
      }
    }
    present.keySet().removeAll(uncertain);
    present.values().stream().filter(RuleReconciler::isRemovable).forEach(toRemove::add);
    apply(toAdd, toRemove);
    return toAdd.size() + toRemove.size();
  }

  /** Takes back all own rules of these switches. */
  void removeAll(Collection<String> from) {
    List<Entry> toRemove = new ArrayList<>();
    for (String datapath : from) {
      table.entries(datapath).stream().filter(RuleReconciler::isRemovable).forEach(toRemove::add);
    }
    apply(List.of(), toRemove);
  }

  /** How many own rules of these switches the platform still holds. */
  int count(Collection<String> on) {
    return on.stream().mapToInt(datapath -> table.entries(datapath).size()).sum();
  }

  private static boolean isRemovable(Entry entry) {
    return stands(entry) || entry.state() == State.REFUSED;
  }

  private static boolean stands(Entry entry) {
    return entry.state() == State.CONFIRMED || entry.state() == State.SENT;
  }

  private void apply(List<Rule> toAdd, List<Entry> toRemove) {
    if (!toAdd.isEmpty() || !toRemove.isEmpty()) {
      table.apply(toAdd, toRemove);
    }
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.sluice.cli;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import org.sluice.api.SluiceException;

/**
 * Options that were typed behind an argument, where Karaf takes everything for arguments: {@code
 * sluice-tenant-set t1 --weight 2} must do what {@code sluice-tenant-set --weight 2 t1} does.
 */
final class TrailingOptions {
  private final Map<String, List<String>> values = new HashMap<>();

  /**
   * Reads options with their values.
   *
   * @param names every option with a value, long by short name
   * @param flags every option without one
   * @throws SluiceException of kind INVALID for anything else, or a value that is missing
   */
  TrailingOptions(List<String> arguments, Map<String, String> names, List<String> flags)
      throws SluiceException {
    for (Iterator<String> remaining = arguments.iterator(); remaining.hasNext(); ) {
      String typed = remaining.next();
      String name = names.getOrDefault(typed, typed);
      if (flags.contains(name)) {
        values.put(name, List.of());
      } else if (!names.containsValue(name)) {
        throw SluiceException.invalid(
            "option", typed, "There is no such option", "--help lists the options there are");
      } else if (remaining.hasNext()) {
        values.computeIfAbsent(name, n -> new ArrayList<>()).add(remaining.next());
      } else {
        throw SluiceException.invalid(
            name, "", "This option needs a value", "Give it, or leave the option out");
      }
    }
  }

  boolean has(String name) {
    return values.containsKey(name);
  }

  /** All values of an option; what was typed before the argument if it was not typed here. */
  List<String> all(String name, List<String> before) {
    return values.getOrDefault(name, before);
  }

  /** The last value of an option; what was typed before the argument if it was not typed here. */
  String last(String name, String before) {
    List<String> all = values.get(name);
    return all == null ? before : all.get(all.size() - 1);
  }
}

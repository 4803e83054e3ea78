// SPDX-License-Identifier: Apache-2.0
package org.sluice.cli;

import java.util.HashMap;
import java.util.Map;
import java.util.function.Function;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.sluice.api.PortId;
import org.sluice.api.topology.NetworkTopology;
import org.sluice.api.topology.SwitchStatus;

/** What operators call the switches and ports whose ids a sentence has. */
final class Labels {
  /** But within a label: {@code leaf1:eth3 (of:0000000000000001/5)}. */
  private static final Pattern ID =
      Pattern.compile("(?<!\\()of:[0-9a-f]{16}(/(?:0|[1-9][0-9]{0,9})(?![0-9]))?");

  private final Function<PortId, String> ports;
  private final Map<String, String> switches = new HashMap<>();

  /**
   * Labels.
   *
   * @param ports what operators call a port
   * @param topology has the names of switches
   */
  Labels(Function<PortId, String> ports, NetworkTopology topology) {
    this.ports = ports;
    for (SwitchStatus one : topology.switches()) {
      if (!one.name().equals(one.datapath())) {
        switches.put(one.datapath(), one.name() + " (" + one.datapath() + ")");
      }
    }
  }

  /** The sentence, each id in it with the name that it has. */
  String inText(String text) {
    return ID.matcher(text).replaceAll(found -> Matcher.quoteReplacement(of(found)));
  }

  private String of(MatchResult found) {
    String id = found.group();
    return found.group(1) == null ? switches.getOrDefault(id, id) : ports.apply(PortId.parse(id));
  }
}

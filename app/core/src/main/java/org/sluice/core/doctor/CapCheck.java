// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.doctor;

import static org.sluice.api.Finding.Severity.WARNING;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.sluice.api.Finding;
import org.sluice.api.PortId;
import org.sluice.core.micro.UnenforcedCap;

/** Whether what background flows are capped to can be enforced. */
final class CapCheck implements Check {

  @Override
  public List<Finding> examine(Condition condition) {
    Map<PortId, List<String>> byUpstream =
        condition.unenforcedCaps().stream()
            .collect(
                Collectors.groupingBy(
                    UnenforcedCap::upstream,
                    TreeMap::new,
                    Collectors.mapping(cap -> cap.downstream().toString(), Collectors.toList())));
    return byUpstream.entrySet().stream()
        .map(port -> finding(condition, port.getKey(), port.getValue()))
        .collect(Collectors.toList());
  }

  private static Finding finding(Condition condition, PortId upstream, List<String> downstream) {
    return Finding.of(
        WARNING,
        upstream.toString(),
        "Background flows towards "
            + Check.some(downstream.stream().sorted().collect(Collectors.toList()))
            + ", where short flows wait, cannot be held back there: the port has no agent with"
            + " levels, and its switch takes no meter",
        "Give the port an agent with levels (docs/port-agent.md), or: "
            + condition.platform().settingCommand("caps", "off"));
  }
}

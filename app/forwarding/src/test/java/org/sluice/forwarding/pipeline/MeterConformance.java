// SPDX-License-Identifier: Apache-2.0
package org.sluice.forwarding.pipeline;

import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.sluice.forwarding.testing.FabricUnderTest;
import org.sluice.forwarding.testing.NodeUnderTest;

/** What tests of meters in use have in common: a node that may run, and what switches hold. */
abstract class MeterConformance {
  static final long MEGABIT = 1_000_000;

  final FabricUnderTest fabric;
  final NodeUnderTest node;
  boolean running;

  MeterConformance(NodeUnderTest node) {
    this.node = node;
    fabric = node.fabric();
  }

  @AfterEach
  void end() {
    if (running) {
      node.stop();
    }
    fabric.close();
  }

  /** The rules of a switch whose text begins so: table and priority. */
  final List<String> rules(String name, String start) {
    return fabric.tables().rules(name).stream()
        .filter(rule -> rule.startsWith(start))
        .collect(Collectors.toList());
  }

  /** What the meters of a switch let through that count no marks, kbit/s, in order. */
  final List<Long> kilobitRates(String name) {
    return fabric.tables().meterRates(name).stream()
        .filter(rate -> rate != CeMeters.RATE_KILOBITS_PER_SECOND)
        .sorted()
        .collect(Collectors.toList());
  }
}

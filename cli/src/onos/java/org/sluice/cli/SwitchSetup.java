// SPDX-License-Identifier: Apache-2.0
package org.sluice.cli;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.sluice.api.IpAddress;

/** How an Open vSwitch is configured to connect to Sluice, beside its present controllers. */
final class SwitchSetup {
  private static final Pattern BRIDGE = Pattern.compile("[A-Za-z0-9][A-Za-z0-9_.-]{0,14}");

  private final String bridge;
  private final List<String> targets;

  /**
   * A setup.
   *
   * @param bridge the bridge's name on its host
   * @param addresses of every controller node: any of them may be the switch's master
   * @param port the TCP port of fast counters
   */
  SwitchSetup(String bridge, List<IpAddress> addresses, int port) {
    this.bridge = bridge;
    this.targets =
        addresses.stream()
            .map(a -> "tcp:" + (a.isIpv4() ? a.toString() : "[" + a + "]") + ":" + port)
            .collect(Collectors.toList());
  }

  /**
   * A bridge's name as it was typed.
   *
   * @throws IllegalArgumentException if no interface of Linux can be called that
   */
  static String bridge(String typed) {
    if (!BRIDGE.matcher(typed).matches()) {
      throw new IllegalArgumentException("This is not the name of a bridge");
    }
    return typed;
  }

  String bridge() {
    return bridge;
  }

  List<String> targets() {
    return targets;
  }

  /** The line to run on the switch; it adds, where {@code set-controller} would replace. */
  String command() {
    List<String> words = new ArrayList<>(List.of("ovs-vsctl"));
    for (int i = 0; i < targets.size(); i++) {
      String id = "@sluice" + (i + 1);
      words.add(
          String.format(
              "-- --id=%s create Controller 'target=\"%s\"' -- add Bridge %s controller %s",
              id, targets.get(i), bridge, id));
    }
    return String.join(" ", words);
  }
}

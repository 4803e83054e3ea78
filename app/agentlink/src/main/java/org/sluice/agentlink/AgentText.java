// SPDX-License-Identifier: Apache-2.0
package org.sluice.agentlink;

/** Text that came from an agent, before it may reach a log, a terminal or a page. */
final class AgentText {
  /** As Linux has them, and behind a dot a VLAN of a trunk. */
  private static final int MAX_INTERFACE_NAME = 15 + 5;

  private AgentText() {}

  /** The text, shortened if need be, with everything but visible characters and blanks replaced. */
  static String readable(String text, int maxLength) {
    StringBuilder result = new StringBuilder(Math.min(text.length(), maxLength));
    for (int i = 0; i < text.length() && i < maxLength; i++) {
      char c = text.charAt(i);
      result.append(c >= ' ' && c <= '~' ? c : '?');
    }
    return result.toString();
  }

  /** Whether this is an interface's name that can be shown as it is. */
  static boolean isInterfaceName(String text) {
    return !text.isEmpty()
        && text.length() <= MAX_INTERFACE_NAME
        && text.chars().allMatch(c -> c > ' ' && c <= '~' && c != '/');
  }
}

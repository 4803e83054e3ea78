// SPDX-License-Identifier: Apache-2.0
package org.sluice.forwarding.testing;

import java.util.List;

/**
 * What switches hold. A rule with a meter or group that is not there is refused, and taking a meter
 * or group away takes its rules along.
 */
public interface StandingTables {

  /** The rules on a switch, as {@link RuleText}, in order. */
  List<String> rules(String name);

  /** How many rules switches have refused. */
  int refused();

  /** The rates of a switch's meters, kbit/s. */
  List<Long> meterRates(String name);

  /** Statistics of every connected switch reach the platform, which draws its conclusions. */
  void poll();
}

// SPDX-License-Identifier: Apache-2.0
package org.sluice.odl.openflow;

import java.util.List;
import java.util.Optional;
import org.opendaylight.yang.gen.v1.urn.opendaylight.flow.types.rev131026.flow.Match;
import org.sluice.forwarding.spi.Rule;
import org.sluice.forwarding.spi.Treatment;

/**
 * A rule as OpenDaylight has it, on a switch or to be sent to one.
 *
 * @param match of OpenDaylight
 * @param rule empty: it matches what no rule of this version does
 * @param treatment empty: it does what no rule of this version does
 */
record Flow(
    int table,
    int priority,
    Match match,
    long cookie,
    Optional<Rule.Key> rule,
    Optional<Treatment> treatment,
    long packets) {

  /** One that is to be sent. */
  static Flow of(Rule.Key key, Treatment treatment, long cookie) {
    return new Flow(
        key.table(),
        key.priority(),
        FlowWriter.match(key),
        cookie,
        Optional.of(key),
        Optional.of(treatment),
        0);
  }

  /** What distinguishes it from others of its switch. */
  Object identity() {
    return rule.<Object>map(key -> key).orElse(List.of(table, priority, match));
  }
}

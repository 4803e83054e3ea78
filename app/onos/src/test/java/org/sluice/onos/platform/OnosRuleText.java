// SPDX-License-Identifier: Apache-2.0
package org.sluice.onos.platform;

import java.util.Optional;
import org.onosproject.net.flow.FlowRule;
import org.sluice.forwarding.spi.Rule;
import org.sluice.forwarding.spi.Treatment;
import org.sluice.forwarding.testing.RuleText;

/** A rule of ONOS's in one line, as those of all platforms are written. */
public final class OnosRuleText {
  private OnosRuleText() {}

  public static String of(FlowRule rule) {
    Optional<Treatment> treatment = RuleReader.treatment(rule.treatment());
    return RuleReader.key(rule)
        .flatMap(key -> treatment.map(steps -> RuleText.of(Rule.of(key, steps))))
        .orElseGet(() -> String.format("%s/%05d of ONOS's own", rule.table(), rule.priority()));
  }
}

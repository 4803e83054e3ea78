// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.scenario.build;

import org.sluice.api.SluiceException;
import org.sluice.api.policy.PolicyPresets;
import org.sluice.api.policy.PolicySet;
import org.sluice.json.PolicyJson;
import org.sluice.sim.deployment.HintParameters;
import org.sluice.sim.scenario.document.Fields;
import org.sluice.sim.transport.RouteTable;

/** Policies as a scenario describes them. */
final class OpenTcpBuilder {
  private OpenTcpBuilder() {}

  /** What hosts are hinted: policies, with the cycle that is given apart. */
  static HintParameters hints(Fields law) {
    PolicySet set = policies(law);
    try {
      PolicySet timed =
          PolicySet.builder(set.name())
              .cycleNanos(law.nanos("cycle", set.cycleNanos()))
              .constraints(set.constraints())
              .groups(set.groups())
              .policies(set.policies())
              .build();
      return new HintParameters(timed, new RouteTable(), law.nanos("tick", 0));
    } catch (SluiceException e) {
      throw law.problem("cycle", e.getMessage(), e.remedy() + " s");
    }
  }

  private static PolicySet policies(Fields law) {
    if (law.raw("policies") == null || law.raw("policies").isTextual()) {
      return law.text("policies", "opentcp2").equals("opentcp1")
          ? PolicyPresets.openTcp1()
          : PolicyPresets.openTcp2();
    }
    try {
      return PolicyJson.read(law.raw("policies"), "");
    } catch (SluiceException e) {
      throw law.problem(
          "policies",
          e.field().map(field -> field + " " + e.value() + ": ").orElse("") + e.getMessage(),
          e.remedy());
    }
  }
}

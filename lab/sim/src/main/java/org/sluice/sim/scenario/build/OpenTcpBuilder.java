// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.scenario.build;

import org.sluice.api.SluiceException;
import org.sluice.api.policy.PolicyPresets;
import org.sluice.api.policy.PolicySet;
import org.sluice.json.PolicyJson;
import org.sluice.sim.deployment.OpenTcpDeployment;
import org.sluice.sim.deployment.OpenTcpSettings;
import org.sluice.sim.platform.ChannelParameters;
import org.sluice.sim.scenario.document.Fields;
import org.sluice.sim.transport.RouteTable;

/** OpenTCP as a scenario describes it. */
final class OpenTcpBuilder {
  private OpenTcpBuilder() {}

  static void build(Fields law, Fields control, ChannelParameters channel, BuiltScenario built) {
    PolicySet policies = policies(law);
    long cycle = control.nanos("period", policies.cycleNanos());
    if (cycle <= 2 * channel.delayNanos()) {
      throw control.problem(
          "period",
          "the oracle would not have its data before the next cycle",
          "give more than twice the delay");
    }
    long matrix = law.nanos("matrix", Math.max(cycle, OpenTcpSettings.MATRIX_NANOS));
    if (matrix < cycle) {
      throw law.problem("matrix", "it is less than a cycle", "give at least control.period");
    }
    OpenTcpSettings settings = new OpenTcpSettings(policies, cycle, matrix, law.nanos("tick", 0));
    RouteTable routes = new RouteTable();
    OpenTcpDeployment openTcp =
        OpenTcpDeployment.install(built.network(), settings, channel, routes);
    built.setOpenTcp(openTcp, routes);
    built.setControlTraffic(openTcp);
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

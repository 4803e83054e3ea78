// SPDX-License-Identifier: Apache-2.0
package org.sluice.onos.testing;

import java.util.ArrayList;
import java.util.List;
import org.onosproject.net.flow.FlowRule;
import org.onosproject.net.flow.TrafficTreatment;
import org.onosproject.net.flow.criteria.Criterion;
import org.onosproject.net.flow.instructions.Instruction;

/** A rule in one line: table, priority, match, treatment. */
public final class RuleText {
  private RuleText() {}

  public static String of(FlowRule rule) {
    List<String> match = new ArrayList<>();
    for (Criterion criterion : rule.selector().criteria()) {
      match.add(criterion.toString());
    }
    match.sort(null);
    return String.format(
        "%s/%05d %s -> %s",
        rule.table(), rule.priority(), String.join(", ", match), treatment(rule.treatment()));
  }

  private static String treatment(TrafficTreatment treatment) {
    List<String> steps = new ArrayList<>();
    treatment.meters().forEach(meter -> steps.add(meter.toString()));
    for (Instruction instruction : treatment.immediate()) {
      steps.add(instruction.toString());
    }
    if (treatment.tableTransition() != null) {
      steps.add(treatment.tableTransition().toString());
    }
    return String.join(", ", steps);
  }
}

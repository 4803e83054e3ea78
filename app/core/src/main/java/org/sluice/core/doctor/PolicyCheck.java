// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.doctor;

import static org.sluice.api.Finding.Severity.ERROR;
import static org.sluice.api.Finding.Severity.WARNING;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.sluice.api.Finding;
import org.sluice.api.policy.HostHints;

/** Whether policies are evaluated, and hosts take the hints that they get. */
final class PolicyCheck implements Check {

  @Override
  public List<Finding> examine(Condition condition) {
    List<Finding> found = new ArrayList<>();
    condition
        .policyFault()
        .ifPresent(
            fault -> found.add(Finding.of(ERROR, "policies", fault.message(), fault.remedy())));
    unanswered(condition.hostHints(), found);
    for (HostHints host : condition.hostHints()) {
      if (host.state() == HostHints.State.REFUSED) {
        found.add(
            Finding.of(
                WARNING,
                "host " + host.host(),
                "It cannot apply hints: " + Check.some(host.refused()),
                "On "
                    + host.host()
                    + ": sluice-agent probe; or leave the parameter out of the policies"));
      }
      if (host.leftOutGroups() > 0) {
        found.add(
            Finding.of(
                WARNING,
                "host " + host.host(),
                "Hints towards "
                    + Check.count(host.leftOutGroups(), "group")
                    + " are left out, for they have too many prefixes",
                "Number hosts of a group so that few prefixes have them all, or use policies for"
                    + " groups in the place of pairs"));
      }
    }
    return found;
  }

  private static void unanswered(List<HostHints> hosts, List<Finding> found) {
    List<String> silent =
        hosts.stream()
            .filter(host -> host.state() == HostHints.State.UNANSWERED)
            .map(host -> host.host().toString())
            .collect(Collectors.toList());
    if (!silent.isEmpty()) {
      found.add(
          Finding.of(
              WARNING,
              "policies",
              Check.count(silent.size(), "host")
                  + " of groups with policies use"
                  + (silent.size() == 1 ? "s" : "")
                  + " no hints: "
                  + Check.some(silent),
              "There: a section hints in /etc/sluice/agent.yaml, with an agent of this release"));
    }
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.doctor;

import static org.sluice.api.Finding.Severity.ERROR;
import static org.sluice.api.Finding.Severity.WARNING;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.sluice.api.Finding;
import org.sluice.api.Host;

/** Hosts and their agents. */
final class HostCheck implements Check {

  @Override
  public List<Finding> examine(Condition condition) {
    List<Finding> found = new ArrayList<>();
    for (Host host : condition.hosts()) {
      quarantine(host, found);
      pairs(condition, host, found);
      if (host.connected()) {
        version(condition, host, found);
        features(host, found);
        residual(host, found);
        conditions(host, found);
      } else {
        away(condition, host, found);
      }
    }
    return found;
  }

  private static void away(Condition condition, Host host, List<Finding> found) {
    Duration since = Duration.between(host.lastSeen(), condition.now());
    List<String> endpoints =
        condition.endpoints().stream()
            .map(endpoint -> endpoint.id().toString())
            .filter(id -> id.startsWith(host.id() + "/"))
            .sorted()
            .collect(Collectors.toList());
    found.add(
        Finding.of(
            host.endpointCount() == 0 ? WARNING : ERROR,
            about(host),
            "Its agent has not been connected for "
                + words(since)
                + ", with "
                + Check.count(host.endpointCount(), "endpoint")
                + (endpoints.isEmpty()
                    ? ""
                    : ", whose limits nobody brings up to date: " + Check.some(endpoints)),
            "On " + host.id() + ": systemctl restart sluice-agent; sluice-agent status"));
  }

  private static void quarantine(Host host, List<Finding> found) {
    if (!host.quarantine().isEmpty()) {
      found.add(
          Finding.of(
              ERROR,
              about(host),
              "It is in quarantine, with its last shares: " + host.quarantine(),
              "Find out who controls "
                  + host.id()
                  + ": its agent does not do that. It ends 30 s after the host keeps its limits"));
    }
  }

  private static void pairs(Condition condition, Host host, List<Finding> found) {
    Long refused = condition.refusedPairs().get(host.id());
    if (refused != null) {
      found.add(
          Finding.of(
              WARNING,
              about(host),
              "It reports more pairs than a host may have: "
                  + Check.count(refused, "sample")
                  + " not taken in since the start",
              "On " + host.id() + ": sluice-agent status shows which endpoint reaches so many"));
    }
  }

  private static void version(Condition condition, Host host, List<Finding> found) {
    if (!condition.version().isEmpty() && !host.agentVersion().equals(condition.version())) {
      found.add(
          Finding.of(
              WARNING,
              about(host),
              "Its agent has version " + host.agentVersion() + ", Sluice " + condition.version(),
              "On " + host.id() + ": dpkg -i sluice-agent_" + condition.version() + "_amd64.deb"));
    }
  }

  private static void features(Host host, List<Finding> found) {
    for (String missing : host.missingFeatures()) {
      found.add(
          Finding.of(
              WARNING,
              about(host),
              "It lacks " + missing,
              "On " + host.id() + ": sluice-agent probe says what would bring it"));
    }
  }

  private static void residual(Host host, List<Finding> found) {
    List<String> interfaces = host.residualExceededBy();
    if (!interfaces.isEmpty()) {
      found.add(
          Finding.of(
              WARNING,
              about(host),
              Check.some(interfaces)
                  + " lastingly "
                  + (interfaces.size() == 1 ? "exceeds" : "exceed")
                  + " what a VM may send that nobody can be held to account for (multicast,"
                  + " broadcast, without IP, without an address of its own, beyond what can be"
                  + " counted); it is dropped",
              "On "
                  + host.id()
                  + ": sluice-agent status shows how much (residual); stop it in the VM, or raise"
                  + " its ceiling: it is 1 % of that"));
    }
  }

  private static void conditions(Host host, List<Finding> found) {
    for (String condition : host.conditions()) {
      found.add(
          Finding.of(
              WARNING,
              about(host),
              "Its agent reports: " + condition,
              "On " + host.id() + ": sluice-agent status"));
    }
  }

  private static String about(Host host) {
    return "host " + host.id();
  }

  private static String words(Duration since) {
    if (since.toHours() >= 48) {
      return since.toDays() + " days";
    }
    if (since.toMinutes() >= 120) {
      return since.toHours() + " hours";
    }
    return since.getSeconds() >= 120
        ? since.toMinutes() + " minutes"
        : Math.max(0, since.getSeconds()) + " s";
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.doctor;

import static org.sluice.api.Finding.Severity.ERROR;
import static org.sluice.api.Finding.Severity.NOTE;
import static org.sluice.api.Finding.Severity.WARNING;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.sluice.api.Endpoint;
import org.sluice.api.EndpointId;
import org.sluice.api.Finding;
import org.sluice.api.Host;
import org.sluice.api.HostId;
import org.sluice.api.PortId;
import org.sluice.api.PortStatus;
import org.sluice.core.setting.SettingTable;
import org.sluice.core.silent.SilentEndpoint;
import org.sluice.core.spi.OperatorCommand;

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
    agentless(condition, found);
    return found;
  }

  /** Machines without an agent where those with one have less for it, or would. */
  private static void agentless(Condition condition, List<Finding> found) {
    Set<HostId> known = condition.hosts().stream().map(Host::id).collect(Collectors.toSet());
    for (SilentEndpoint silent : condition.silentEndpoints()) {
      boolean matters = silent.share().port().isPresent() || silent.limitBitsPerSecond() > 0;
      if (!known.contains(silent.id().host()) && silent.edge().isPresent() && matters) {
        found.add(
            Finding.of(
                WARNING,
                "port " + silent.edge().get(),
                "Machines behind it have no agent and send where others do"
                    + taken(condition, silent),
                "Install the agent on their host"));
      }
    }
  }

  private static void away(Condition condition, Host host, List<Finding> found) {
    Duration since = Duration.between(host.lastSeen(), condition.now());
    List<String> endpoints =
        condition.endpoints().stream()
            .map(Endpoint::id)
            .filter(id -> id.host().equals(host.id()))
            .sorted()
            .map(id -> id + taken(condition, id))
            .collect(Collectors.toList());
    if (host.stopped()) {
      found.add(
          Finding.of(
              host.endpointCount() == 0 ? NOTE : WARNING,
              about(host),
              "Its agent was stopped "
                  + words(since)
                  + " ago, and with it the limits of "
                  + Check.count(host.endpointCount(), "endpoint")
                  + (endpoints.isEmpty() ? "" : ": " + Check.some(endpoints)),
              "If it is out of service: "
                  + retire(condition, host)
                  + "; else start it on the host: systemctl start sluice-agent"));
      return;
    }
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
                    : ", whose limits on the host are not updated: " + Check.some(endpoints)),
            "On "
                + host.id()
                + ": start its agent again, as a service (systemctl restart sluice-agent) or by"
                + " hand (sluice-agent run --config FILE), whichever it was; sluice-agent status"
                + " --config FILE. If it is out of service: "
                + retire(condition, host)));
  }

  private static String retire(Condition condition, Host host) {
    return condition.platform().command(OperatorCommand.RETIRE_HOST, host.id().name());
  }

  /** What an endpoint of a silent agent takes of which port, and what its edge port does. */
  private static String taken(Condition condition, EndpointId id) {
    return condition.silentEndpoints().stream()
        .filter(silent -> silent.id().equals(id))
        .findFirst()
        .map(silent -> taken(condition, silent))
        .orElse("");
  }

  private static String taken(Condition condition, SilentEndpoint silent) {
    String taken = " takes " + megabits(silent.share().takenBitsPerSecond());
    if (silent.share().port().isPresent()) {
      PortId port = silent.share().port().get();
      taken +=
          capacity(condition, port).map(of -> " of " + megabits(of)).orElse("") + " of " + port;
    }
    return " (" + taken.strip() + ", " + held(condition, silent) + ")";
  }

  private static Optional<Long> capacity(Condition condition, PortId port) {
    return condition.portStatuses().stream()
        .filter(status -> status.id().equals(port))
        .map(PortStatus::capacityBitsPerSecond)
        .findFirst();
  }

  private static String held(Condition condition, SilentEndpoint silent) {
    if (silent.edge().isEmpty()) {
      return "not limited: its port is unknown";
    }
    String edge = silent.edge().get().toString();
    if (silent.refused()) {
      return "perhaps not limited at " + edge + ": the switch refuses meters";
    }
    if (silent.limitBitsPerSecond() > 0) {
      return "limited to " + megabits(silent.limitBitsPerSecond()) + " at " + edge;
    }
    return "not limited at "
        + edge
        + (condition.parameters().get(SettingTable.FORWARDING) == SettingTable.Forwarding.OTHER
            ? ": forwarding = other"
            : "");
  }

  private static String megabits(long bitsPerSecond) {
    return String.format(Locale.ROOT, "%.1f Mbit/s", bitsPerSecond / 1e6);
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
                  + " ignored since the start",
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
              "On " + host.id() + ": sluice-agent probe shows what would add it"));
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
                  + " the rate of a VM's residual traffic, which belongs to no pair (multicast,"
                  + " broadcast, not IP, a foreign source address, more destinations than are"
                  + " counted); the excess is dropped",
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

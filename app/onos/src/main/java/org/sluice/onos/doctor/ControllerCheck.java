// SPDX-License-Identifier: Apache-2.0
package org.sluice.onos.doctor;

import static org.sluice.api.Finding.Severity.ERROR;
import static org.sluice.api.Finding.Severity.NOTE;
import static org.sluice.api.Finding.Severity.WARNING;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.sluice.api.Finding;
import org.sluice.onos.OsgiPropertyConstants;
import org.sluice.onos.setting.Parameters;

/** ONOS itself, its settings and ours. */
final class ControllerCheck implements Check {
  private static final String ONOS = "ONOS";
  private static final String LINK = "agent link";
  private static final String COUNTERS = "fast counters";
  private static final Pattern VERSION = Pattern.compile("(\\d+)\\.(\\d+).*");

  /** The API that the application is built against, and the newest whose API it was held to. */
  private static final int MAJOR = 2;

  private static final int OLDEST_MINOR = 5;
  private static final int NEWEST_MINOR = 7;

  @Override
  public List<Finding> examine(Condition condition) {
    List<Finding> found = new ArrayList<>();
    onos(condition, found);
    forwarding(condition, found);
    link(condition, found);
    counters(condition, found);
    if (!condition.parameters().enforcement()) {
      found.add(
          Finding.of(
              NOTE,
              "enforcement",
              "Agents count and report, and limit nothing",
              Check.set(OsgiPropertyConstants.ENFORCEMENT, "on")));
    }
    return found;
  }

  private static void onos(Condition condition, List<Finding> found) {
    Matcher version = VERSION.matcher(condition.onosVersion());
    boolean known =
        version.matches()
            && Integer.parseInt(version.group(1)) == MAJOR
            && Integer.parseInt(version.group(2)) >= OLDEST_MINOR
            && Integer.parseInt(version.group(2)) <= NEWEST_MINOR;
    if (!known) {
      found.add(
          Finding.of(
              WARNING,
              ONOS,
              "Sluice has not been tried on version " + condition.onosVersion(),
              "Use ONOS 2.5.6 to 2.7.0"));
    }
  }

  private static void forwarding(Condition condition, List<Finding> found) {
    if (condition.parameters().forwarding() != Parameters.Forwarding.OWN) {
      return;
    }
    condition
        .otherForwarder()
        .ifPresent(
            name ->
                found.add(
                    Finding.of(
                        ERROR,
                        "forwarding",
                        name + " is active and forwards the same packets, so Sluice does not",
                        "app deactivate "
                            + name
                            + ", or "
                            + Check.set(OsgiPropertyConstants.FORWARDING, "other"))));
    if (!condition.extraneousRulesAllowed().orElse(true)) {
      found.add(
          Finding.of(
              WARNING,
              ONOS,
              "ONOS removes flow rules that it does not remember: tenants are cut off for a moment"
                  + " when it comes back from a restart",
              "cfg set "
                  + Surroundings.FLOW_RULE_MANAGER
                  + " "
                  + Surroundings.EXTRANEOUS_RULES
                  + " true"));
    }
  }

  private static void link(Condition condition, List<Finding> found) {
    Parameters parameters = condition.parameters();
    Map<String, String> files = new LinkedHashMap<>();
    files.put(OsgiPropertyConstants.AGENT_LINK_KEY, parameters.agentLinkKey());
    files.put(OsgiPropertyConstants.AGENT_LINK_CERTIFICATE, parameters.agentLinkCertificate());
    files.put(OsgiPropertyConstants.AGENT_LINK_TRUST, parameters.agentLinkTrust());
    List<String> remedies = new ArrayList<>();
    files.forEach(
        (property, file) -> {
          if (file.isEmpty()) {
            remedies.add(Check.set(property, "FILE.pem"));
          } else if (condition.unreadableFiles().contains(file)) {
            found.add(
                Finding.of(
                    ERROR,
                    LINK,
                    "ONOS cannot read " + file + ", its " + property,
                    "chown ONOS's user and chmod 0400 " + file + " on every controller node"));
          }
        });
    if (!remedies.isEmpty()) {
      found.add(
          Finding.of(
              ERROR,
              LINK,
              "The agent link is off: no key, certificate or authority is named, and no agent can"
                  + " connect",
              String.join("; ", remedies)));
    } else if (condition.hosts().isEmpty()) {
      found.add(
          Finding.of(
              WARNING,
              LINK,
              "No agent has connected since this node started",
              "On a hypervisor: sluice-agent status; its controllers must name TCP port "
                  + parameters.agentLinkPort()
                  + " of every node"));
    }
  }

  private static void counters(Condition condition, List<Finding> found) {
    Parameters parameters = condition.parameters();
    if (!parameters.fastCounters()) {
      found.add(
          Finding.of(
              NOTE,
              COUNTERS,
              "Fast counters are off: switches are read as slowly as ONOS polls them",
              Check.set(OsgiPropertyConstants.FAST_COUNTERS, "on")));
    } else if (!condition.switchesAwaited()) {
      found.add(
          Finding.of(
              ERROR,
              COUNTERS,
              "TCP port " + parameters.fastCountersPort() + " cannot be had; no switch can connect",
              Check.set(OsgiPropertyConstants.FAST_COUNTERS_PORT, "PORT")
                  + ", then sluice-switch-setup BRIDGE for every switch"));
    }
  }
}

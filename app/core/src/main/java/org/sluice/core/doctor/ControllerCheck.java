// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.doctor;

import static org.sluice.api.Finding.Severity.ERROR;
import static org.sluice.api.Finding.Severity.NOTE;
import static org.sluice.api.Finding.Severity.WARNING;

import java.util.ArrayList;
import java.util.List;
import org.sluice.api.Finding;
import org.sluice.core.setting.Parameters;
import org.sluice.core.setting.Setting;
import org.sluice.core.setting.SettingTable;

/** Sluice's own settings, and what the platform finds wrong with itself. */
final class ControllerCheck implements Check {
  private static final String LINK = "agent link";
  private static final String COUNTERS = "fast counters";
  private static final List<Setting<String>> LINK_FILES =
      List.of(
          SettingTable.AGENT_LINK_KEY,
          SettingTable.AGENT_LINK_CERTIFICATE,
          SettingTable.AGENT_LINK_TRUST);

  @Override
  public List<Finding> examine(Condition condition) {
    List<Finding> found = new ArrayList<>(condition.platform().findings());
    condition
        .refusedSettings()
        .forEach(
            refused ->
                found.add(
                    Finding.of(
                        WARNING,
                        "settings",
                        refused,
                        "Set the property to one of these, or unset it: what is written differs"
                            + " from what is in force")));
    link(condition, found);
    access(condition, found);
    files(condition, found);
    counters(condition, found);
    if (!condition.parameters().get(SettingTable.ENFORCEMENT)) {
      found.add(
          Finding.of(
              NOTE,
              "enforcement",
              "Agents count and report, and limit nothing",
              set(condition, SettingTable.ENFORCEMENT, "on")));
    }
    return found;
  }

  private static String set(Condition condition, Setting<?> setting, String value) {
    return condition.platform().settingCommand(setting.name(), value);
  }

  private static void link(Condition condition, List<Finding> found) {
    Parameters parameters = condition.parameters();
    List<String> remedies = new ArrayList<>();
    for (Setting<String> setting : LINK_FILES) {
      String file = parameters.get(setting);
      if (file.isEmpty()) {
        remedies.add(set(condition, setting, "FILE.pem"));
      } else if (condition.unreadableFiles().contains(file)) {
        found.add(
            Finding.of(
                ERROR,
                LINK,
                "The controller cannot read " + file + ", its " + setting.name(),
                "chown the controller's user and chmod 0400 "
                    + file
                    + " on every controller node"));
      }
    }
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
                  + parameters.get(SettingTable.AGENT_LINK_PORT)
                  + " of every node"));
    }
  }

  private static void access(Condition condition, List<Finding> found) {
    if (!condition.accessFault().isEmpty()) {
      found.add(
          Finding.of(
              ERROR,
              LINK,
              "The lists of hosts that may connect could not be read, and those read last stay in"
                  + " effect: "
                  + condition.accessFault(),
              "Correct the file on every controller node; it is read again every 5 s"));
    }
  }

  private static void files(Condition condition, List<Finding> found) {
    if (!condition.filesFault().isEmpty() && condition.unreadableFiles().isEmpty()) {
      found.add(
          Finding.of(
              ERROR,
              LINK,
              "Its key, certificate or authority could not be read anew, and it goes on with what"
                  + " was read last: "
                  + condition.filesFault(),
              "Correct the file on every controller node; it is read again every 5 s"));
    }
  }

  private static void counters(Condition condition, List<Finding> found) {
    Parameters parameters = condition.parameters();
    if (!parameters.get(SettingTable.FAST_COUNTERS)) {
      found.add(
          Finding.of(
              NOTE,
              COUNTERS,
              "Fast counters are off: switches are read as slowly as the platform polls them",
              set(condition, SettingTable.FAST_COUNTERS, "on")));
    } else if (!condition.switchesAwaited()) {
      found.add(
          Finding.of(
              ERROR,
              COUNTERS,
              "TCP port "
                  + parameters.get(SettingTable.FAST_COUNTERS_PORT)
                  + " cannot be bound; no switch can connect",
              set(condition, SettingTable.FAST_COUNTERS_PORT, "PORT")
                  + ", then sluice-switch-setup BRIDGE for every switch"));
    }
  }
}

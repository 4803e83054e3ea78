// SPDX-License-Identifier: Apache-2.0
package org.sluice.forwarding;

import static org.sluice.api.Finding.Severity.ERROR;
import static org.sluice.api.Finding.Severity.WARNING;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BinaryOperator;
import org.sluice.api.Finding;
import org.sluice.api.PortId;
import org.sluice.core.setting.SettingTable;
import org.sluice.core.setting.Settings;
import org.sluice.core.spi.Symptom;
import org.sluice.forwarding.pipeline.SwitchRules;
import org.sluice.forwarding.spi.ForwardingPlatform;
import org.sluice.forwarding.spi.LateSwitchException;
import org.sluice.forwarding.spi.OtherForwarder;

/** What the doctor finds of forwarding. */
public final class ForwardingDiagnosis {
  private final ForwardingPlatform platform;
  private final ForwardingPlane plane;
  private final Settings settings;

  public ForwardingDiagnosis(
      ForwardingPlatform platform, ForwardingPlane plane, Settings settings) {
    this.platform = platform;
    this.plane = plane;
    this.settings = settings;
  }

  /**
   * Who else forwards, and what somebody behind an edge port tried and did not get.
   *
   * @param settingCommand the platform's command that sets a setting to a value
   */
  public List<Finding> findings(BinaryOperator<String> settingCommand) {
    List<Finding> found =
        ofEdgePorts(
            plane.topology().refusedLinks(),
            plane.attachments().refused(),
            settings.get(SettingTable.ADDRESSES_PER_PORT),
            plane.punts().refused(),
            settingCommand);
    if (settings.get(SettingTable.FORWARDING) == SettingTable.Forwarding.OWN) {
      OtherForwarder other = platform.otherForwarder();
      other
          .active()
          .ifPresent(
              name ->
                  found.add(
                      Finding.of(
                          ERROR,
                          "forwarding",
                          name + " is active and forwards the same packets, so Sluice does not",
                          other.remedy(name)
                              + ", or "
                              + settingCommand.apply(SettingTable.FORWARDING.name(), "other"))));
    }
    return found;
  }

  private static List<Finding> ofEdgePorts(
      Map<PortId, PortId> refusedLinks,
      Map<PortId, Long> refusedAddresses,
      int addressesPerPort,
      Map<PortId, Long> refusedPunts,
      BinaryOperator<String> settingCommand) {
    List<Finding> found = new ArrayList<>();
    refusedLinks.forEach(
        (port, other) ->
            found.add(
                Finding.of(
                    ERROR,
                    port.toString(),
                    "Endpoints are behind it, and link discovery says that it leads to "
                        + other
                        + ": its probes are relayed there. The link is ignored",
                    "Find who sends LLDP or BDDP there (tcpdump ether proto 0x88cc or 0x8942) and"
                        + " stop it; if a switch is there now, take the port down once while its"
                        + " agent is away")));
    refusedAddresses.forEach(
        (port, count) ->
            found.add(
                Finding.of(
                    WARNING,
                    port.toString(),
                    "More than "
                        + addressesPerPort
                        + " addresses behind it are reported by no agent: "
                        + count
                        + " times one of them got no route",
                    "Find who uses so many addresses; if that is right: "
                        + settingCommand.apply(SettingTable.ADDRESSES_PER_PORT.name(), "N"))));
    refusedPunts.forEach(
        (port, count) ->
            found.add(
                Finding.of(
                    WARNING,
                    port.toString(),
                    "More packets to unknown addresses, ARP or neighbour discovery come from there"
                        + " than the controller processes: "
                        + count
                        + " were ignored since this node started",
                    "sluice-journal names the paused senders; search them for a machine that scans"
                        + " addresses")));
    return found;
  }

  /** What switches whose master this node is have not taken, while Sluice forwards. */
  public Collection<Symptom> symptoms() {
    Set<Symptom> symptoms = new HashSet<>();
    if (plane.forwarding().own()) {
      for (String datapath : platform.switches().connected()) {
        if (platform.mastership().isLocal(datapath)) {
          symptoms.addAll(symptoms(datapath));
        }
      }
    }
    return symptoms;
  }

  private Set<Symptom> symptoms(String datapath) {
    try {
      return symptoms(
          datapath,
          SwitchRules.read(platform.rules(), platform.meters(), datapath),
          plane.topology().interSwitchPorts().stream()
              .anyMatch(port -> port.datapath().equals(datapath)));
    } catch (LateSwitchException e) {
      return Set.of(); // Nothing is known of it now.
    }
  }

  /** What a switch that has taken so much lacks. */
  static Set<Symptom> symptoms(String datapath, SwitchRules rules, boolean hasLinks) {
    Set<Symptom> symptoms = new HashSet<>();
    if (rules.firstTableRules() == 0) {
      symptoms.add(Symptom.of(Symptom.Kind.NO_RULES, datapath));
    } else if (rules.secondTableRules() == 0) {
      symptoms.add(Symptom.of(Symptom.Kind.NO_SECOND_TABLE, datapath));
    }
    if (hasLinks && rules.meters() == 0) {
      symptoms.add(Symptom.of(Symptom.Kind.NO_METERS, datapath));
    } else if (hasLinks && rules.markRules() == 0) {
      symptoms.add(Symptom.of(Symptom.Kind.NO_ECN, datapath));
    }
    rules
        .pendingRules()
        .forEach(id -> symptoms.add(Symptom.of(Symptom.Kind.RULE_PENDING, datapath, id)));
    rules
        .pendingMeters()
        .forEach(id -> symptoms.add(Symptom.of(Symptom.Kind.METER_PENDING, datapath, id)));
    return symptoms;
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.sluice.onos.platform;

import static org.sluice.api.Finding.Severity.ERROR;
import static org.sluice.api.Finding.Severity.WARNING;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.onosproject.cfg.ConfigProperty;
import org.onosproject.net.ConnectPoint;
import org.onosproject.net.Device;
import org.onosproject.net.DeviceId;
import org.sluice.api.Finding;
import org.sluice.core.setting.SettingTable;
import org.sluice.core.setting.SettingTable.Forwarding;
import org.sluice.core.spi.PlatformDiagnosis;
import org.sluice.core.spi.Symptom;
import org.sluice.onos.SluiceManager;
import org.sluice.onos.forwarding.OtherForwarder;
import org.sluice.onos.forwarding.SwitchRules;

/** What the doctor finds of ONOS itself, and ONOS's commands that mend something. */
final class OnosDiagnosis implements PlatformDiagnosis {
  /** ONOS's component that decides about rules that its store does not know. */
  static final String FLOW_RULE_MANAGER = "org.onosproject.net.flow.impl.FlowRuleManager";

  static final String EXTRANEOUS_RULES = "allowExtraneousRules";

  private static final String ONOS = "ONOS";
  private static final Pattern VERSION = Pattern.compile("(\\d+)\\.(\\d+).*");

  /** The API that the application is built against, and the newest whose API it was held to. */
  private static final int MAJOR = 2;

  private static final int OLDEST_MINOR = 5;
  private static final int NEWEST_MINOR = 7;

  private final OnosServices onos;
  private final OtherForwarder otherForwarder;

  OnosDiagnosis(OnosServices onos, OtherForwarder otherForwarder) {
    this.onos = onos;
    this.otherForwarder = otherForwarder;
  }

  @Override
  public List<Finding> findings() {
    List<Finding> found =
        findings(
            onos.version.version().toString(),
            onos.application.settings().get(SettingTable.FORWARDING),
            otherForwarder.active(),
            extraneousRulesAllowed());
    found.addAll(
        ofEdgePorts(
            onos.topology.refusedLinks(),
            onos.attachments.refused(),
            onos.application.settings().get(SettingTable.ADDRESSES_PER_PORT),
            onos.punts.refused()));
    return found;
  }

  /** What somebody behind an edge port tried and did not get. */
  static List<Finding> ofEdgePorts(
      Map<ConnectPoint, ConnectPoint> refusedLinks,
      Map<ConnectPoint, Long> refusedAddresses,
      int addressesPerPort,
      Map<ConnectPoint, Long> refusedPunts) {
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
                        + set(SettingTable.ADDRESSES_PER_PORT.name(), "N"))));
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

  /** What is to be found in ONOS's version and settings. */
  static List<Finding> findings(
      String onosVersion,
      Forwarding forwarding,
      Optional<String> otherForwarder,
      Optional<Boolean> extraneousRulesAllowed) {
    List<Finding> found = new ArrayList<>();
    if (!isKnown(onosVersion)) {
      found.add(
          Finding.of(
              WARNING,
              ONOS,
              "Sluice has not been tried on version " + onosVersion,
              "Use ONOS 2.5.6 to 2.7.0"));
    }
    if (forwarding != Forwarding.OWN) {
      return found;
    }
    otherForwarder.ifPresent(
        name ->
            found.add(
                Finding.of(
                    ERROR,
                    "forwarding",
                    name + " is active and forwards the same packets, so Sluice does not",
                    "app deactivate "
                        + name
                        + ", or "
                        + set(SettingTable.FORWARDING.name(), "other"))));
    if (!extraneousRulesAllowed.orElse(true)) {
      found.add(
          Finding.of(
              WARNING,
              ONOS,
              "ONOS removes flow rules that its store does not have: tenants are cut off for a"
                  + " moment when it comes back from a restart",
              "cfg set " + FLOW_RULE_MANAGER + " " + EXTRANEOUS_RULES + " true"));
    }
    return found;
  }

  private static boolean isKnown(String onosVersion) {
    Matcher version = VERSION.matcher(onosVersion);
    return version.matches()
        && Integer.parseInt(version.group(1)) == MAJOR
        && Integer.parseInt(version.group(2)) >= OLDEST_MINOR
        && Integer.parseInt(version.group(2)) <= NEWEST_MINOR;
  }

  private Optional<Boolean> extraneousRulesAllowed() {
    ConfigProperty property = onos.componentConfig.getProperty(FLOW_RULE_MANAGER, EXTRANEOUS_RULES);
    return Optional.ofNullable(property).map(ConfigProperty::asBoolean);
  }

  @Override
  public Collection<Symptom> symptoms() {
    Set<Symptom> symptoms = new HashSet<>();
    if (onos.forwarding.own()) {
      for (Device device : onos.devices.getAvailableDevices()) {
        if (onos.mastership.isLocalMaster(device.id())) {
          symptoms.addAll(symptoms(device.id()));
        }
      }
    }
    return symptoms;
  }

  private Collection<Symptom> symptoms(DeviceId device) {
    boolean hasLinks =
        onos.topology.interSwitchPorts().stream().anyMatch(port -> port.deviceId().equals(device));
    return symptoms(
        device.toString(),
        SwitchRules.read(onos.flows, onos.meters, onos.application.id(), device),
        hasLinks);
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

  @Override
  public String settingCommand(String setting, String value) {
    return set(setting, value);
  }

  private static String set(String setting, String value) {
    return "cfg set " + SluiceManager.class.getName() + " " + setting + " " + value;
  }

  /** The whole configuration goes out at once, so that an operator adds this to what there is. */
  @Override
  public String capacityRemedy(String port) {
    return "Add to netcfg: onos-netcfg ONOS FILE with {\"apps\":"
        + " {\"org.sluice\": {\"sluice\": {\"ports\": {\""
        + port
        + "\": {\"capacityMbps\": N}}}}}}";
  }

  @Override
  public String masterRemedy() {
    return "balance-masters";
  }

  @Override
  public String symptomRemedy(Symptom.Kind kind, String datapath) {
    switch (kind) {
      case NO_RULES:
        return "On the switch: ovs-vsctl --columns=target,role list controller; where ONOS's role"
            + " is"
            + " not master: ovs-vsctl set-controller BRIDGE tcp:ONOS:6653, then"
            + " sluice-switch-setup BRIDGE";
      case METER_PENDING:
        return "meters " + datapath;
      case NO_SUCH_PORT:
        return "ports lists those that there are; correct it in netcfg, or remove it there:"
            + " onos-netcfg ONOS FILE with all that is to hold of {\"apps\": {\"org.sluice\":"
            + " {\"sluice\": {\"ports\": ...}}}}";
      default:
        return "flows -s pending_add " + datapath;
    }
  }
}

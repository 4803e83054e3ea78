// SPDX-License-Identifier: Apache-2.0
package org.sluice.onos.platform;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.sluice.api.Finding.Severity.WARNING;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.onosproject.cfg.ConfigProperty;
import org.osgi.framework.Bundle;
import org.osgi.framework.FrameworkUtil;
import org.sluice.api.Finding;
import org.sluice.core.setting.SettingTable;
import org.sluice.core.setting.SettingTable.Forwarding;
import org.sluice.core.spi.PlatformDiagnosis;
import org.sluice.core.spi.Symptom;
import org.sluice.forwarding.ForwardingDiagnosis;
import org.sluice.onos.SluiceManager;
import org.sluice.onos.web.WebStarter;

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

  /** So long web bundles may take to start. */
  private static final long WEB_START_NANOS = SECONDS.toNanos(30);

  private final OnosServices onos;
  private final ForwardingDiagnosis forwarding;
  private final Supplier<String> slowListeners;
  private volatile long missingSinceNanos = Long.MIN_VALUE;

  /**
   * One for this node.
   *
   * @param slowListeners which listeners ONOS may have ended lately; empty: none
   */
  OnosDiagnosis(OnosServices onos, ForwardingDiagnosis forwarding, Supplier<String> slowListeners) {
    this.onos = onos;
    this.forwarding = forwarding;
    this.slowListeners = slowListeners;
  }

  @Override
  public List<Finding> findings() {
    List<Finding> found =
        findings(
            onos.version.version().toString(),
            onos.application.settings().get(SettingTable.FORWARDING),
            extraneousRulesAllowed());
    String slow = slowListeners.get();
    if (!slow.isEmpty()) {
      found.add(
          Finding.of(
              WARNING,
              ONOS,
              "Sluice's listeners took so long that ONOS may have ended them, and were registered"
                  + " again: "
                  + slow,
              "See what keeps this node: processors (top), garbage collection (jstat -gcutil"
                  + " PID)"));
    }
    found.addAll(forwarding.findings(OnosDiagnosis::set));
    return found;
  }

  /** What is to be found in ONOS's version and settings. */
  static List<Finding> findings(
      String onosVersion, Forwarding forwarding, Optional<Boolean> extraneousRulesAllowed) {
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

  /** ONOS says ACTIVE of applications whose web bundles did not start. */
  @Override
  public String webFault() {
    Bundle bundle = FrameworkUtil.getBundle(OnosDiagnosis.class);
    if (bundle == null) {
      return "";
    }
    String missing =
        WebStarter.missing(bundle.getBundleContext()).stream().collect(Collectors.joining(", "));
    long now = System.nanoTime();
    if (missing.isEmpty()) {
      missingSinceNanos = Long.MIN_VALUE;
    } else if (missingSinceNanos == Long.MIN_VALUE) {
      missingSinceNanos = now;
    }
    boolean isLasting =
        missingSinceNanos != Long.MIN_VALUE && now - missingSinceNanos > WEB_START_NANOS;
    return isLasting ? "Nothing is served there at " + missing : "";
  }

  @Override
  public String nodeRemedy(String node) {
    return "On "
        + node
        + ": apps -s -a shows whether Sluice is active; where it is not: app activate org.sluice;"
        + " where its REST or page alone is missing: bundle:restart org.sluice.rest, bundle:restart"
        + " org.sluice.web-gui";
  }

  @Override
  public Collection<Symptom> symptoms() {
    return forwarding.symptoms();
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

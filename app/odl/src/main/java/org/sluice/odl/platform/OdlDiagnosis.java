// SPDX-License-Identifier: Apache-2.0
package org.sluice.odl.platform;

import static org.sluice.api.Finding.Severity.WARNING;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.sluice.api.Finding;
import org.sluice.core.spi.PlatformDiagnosis;
import org.sluice.core.spi.Symptom;
import org.sluice.forwarding.ForwardingDiagnosis;

/** What the doctor finds of OpenDaylight itself, and its commands that mend something. */
final class OdlDiagnosis implements PlatformDiagnosis {
  /** Of the settings: {@code etc/org.sluice.cfg}. */
  static final String PID = "org.sluice";

  private static final String OPENDAYLIGHT = "OpenDaylight";

  private final ForwardingDiagnosis forwarding;
  private final BooleanSupplier meterChangesRefused;

  OdlDiagnosis(ForwardingDiagnosis forwarding, BooleanSupplier meterChangesRefused) {
    this.forwarding = forwarding;
    this.meterChangesRefused = meterChangesRefused;
  }

  @Override
  public List<Finding> findings() {
    List<Finding> found = new ArrayList<>();
    if (meterChangesRefused.getAsBoolean()) {
      found.add(
          Finding.of(
              WARNING,
              OPENDAYLIGHT,
              "OpenDaylight cannot change a meter, so that every new rate is a new meter and new"
                  + " rules",
              "In etc/org.opendaylight.openflowplugin.cfg: use-single-layer-serialization=false,"
                  + " and restart"));
    }
    found.addAll(forwarding.findings(OdlDiagnosis::set));
    return found;
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
    return "config:property-set --pid " + PID + " " + setting + " " + value;
  }

  @Override
  public String capacityRemedy(String port) {
    return "Add to etc/sluice.netcfg: {\"ports\": {\"" + port + "\": {\"capacityMbps\": N}}}";
  }

  @Override
  public String masterRemedy() {
    return "On the switch: ovs-vsctl set-controller BRIDGE tcp:OPENDAYLIGHT:6653";
  }

  @Override
  public String symptomRemedy(Symptom.Kind kind, String datapath) {
    switch (kind) {
      case NO_RULES:
        return "On the switch: ovs-vsctl --columns=target,role list controller; where"
            + " OpenDaylight's role is not master: ovs-vsctl set-controller BRIDGE"
            + " tcp:OPENDAYLIGHT:6653";
      case METER_PENDING:
        return "On the switch: ovs-ofctl -O OpenFlow13 dump-meters BRIDGE";
      case NO_SUCH_PORT:
        return "ports lists those that there are; correct it in etc/sluice.netcfg, or remove it"
            + " there";
      default:
        return "On the switch: ovs-ofctl -O OpenFlow13 dump-flows BRIDGE";
    }
  }
}

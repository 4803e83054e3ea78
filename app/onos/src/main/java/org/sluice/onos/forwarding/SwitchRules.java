// SPDX-License-Identifier: Apache-2.0
package org.sluice.onos.forwarding;

import com.google.auto.value.AutoValue;
import java.util.Set;
import java.util.TreeSet;
import org.onosproject.core.ApplicationId;
import org.onosproject.net.DeviceId;
import org.onosproject.net.flow.FlowEntry;
import org.onosproject.net.flow.FlowEntry.FlowEntryState;
import org.onosproject.net.flow.FlowRuleService;
import org.onosproject.net.flow.IndexTableId;
import org.onosproject.net.flow.TableId;
import org.onosproject.net.meter.Meter;
import org.onosproject.net.meter.MeterService;
import org.onosproject.net.meter.MeterState;

/** How far a switch has taken the rules and meters of {@code forwarding = own}. */
@AutoValue
public abstract class SwitchRules {
  private static final TableId SECOND_TABLE = IndexTableId.of(Pipeline.ROUTE_TABLE);

  /** Reads what ONOS knows of a switch. */
  public static SwitchRules read(
      FlowRuleService flows, MeterService meters, ApplicationId application, DeviceId device) {
    int first = 0;
    int second = 0;
    int marks = 0;
    Set<String> pendingRules = new TreeSet<>();
    for (FlowEntry entry : flows.getFlowEntries(device)) {
      if (entry.appId() != application.id() || isLeaving(entry.state())) {
        continue;
      }
      if (entry.state() != FlowEntryState.ADDED) {
        pendingRules.add(entry.id().toString());
      } else if (entry.table().equals(SECOND_TABLE)) {
        second++;
      } else {
        first++;
        marks += entry.priority() == Pipeline.CE_PRIORITY ? 1 : 0;
      }
    }
    int standing = 0;
    Set<String> pendingMeters = new TreeSet<>();
    for (Meter meter : meters.getMeters(device)) {
      if (application.equals(meter.appId())) {
        if (meter.state() == MeterState.ADDED) {
          standing += CeMeters.isMarkMeter(meter) ? 1 : 0;
        } else if (meter.state() == MeterState.PENDING_ADD) {
          pendingMeters.add(meter.meterCellId().toString());
        }
      }
    }
    return new AutoValue_SwitchRules(first, second, marks, pendingRules, standing, pendingMeters);
  }

  private static boolean isLeaving(FlowEntryState state) {
    return state == FlowEntryState.PENDING_REMOVE || state == FlowEntryState.REMOVED;
  }

  /** Rules that the switch has confirmed in its first table. */
  public abstract int firstTableRules();

  /** Rules that the switch has confirmed in its second table. */
  public abstract int secondTableRules();

  /** Confirmed rules that match marked packets, {@code ip_ecn=3}. */
  public abstract int markRules();

  /** Rules that were sent and are not confirmed, by ONOS's number. */
  public abstract Set<String> pendingRules();

  /** Confirmed meters that count marks. */
  public abstract int meters();

  /** Meters that were sent and are not confirmed, by number. */
  public abstract Set<String> pendingMeters();
}

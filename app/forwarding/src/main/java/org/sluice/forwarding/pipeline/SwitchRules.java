// SPDX-License-Identifier: Apache-2.0
package org.sluice.forwarding.pipeline;

import com.google.auto.value.AutoValue;
import java.util.Set;
import java.util.TreeSet;
import org.sluice.forwarding.spi.Meter;
import org.sluice.forwarding.spi.MeterTable;
import org.sluice.forwarding.spi.Rule;
import org.sluice.forwarding.spi.RuleTable;

/** How far a switch has taken the rules and meters of {@code forwarding = own}. */
@AutoValue
public abstract class SwitchRules {
  /** Reads what the platform knows of a switch. */
  public static SwitchRules read(RuleTable table, MeterTable meterTable, String datapath) {
    int first = 0;
    int second = 0;
    int marks = 0;
    Set<String> pendingRules = new TreeSet<>();
    for (RuleTable.Entry entry : table.entries(datapath)) {
      if (entry.state() == RuleTable.State.LEAVING) {
        continue;
      }
      int of = entry.key().map(Rule.Key::table).orElse(Pipeline.FIRST_TABLE);
      if (entry.state() != RuleTable.State.CONFIRMED) {
        pendingRules.add(entry.name());
      } else if (of == Pipeline.ROUTE_TABLE) {
        second++;
      } else {
        first++;
        marks += entry.key().filter(Pipeline::countsMarks).isPresent() ? 1 : 0;
      }
    }
    int standing = 0;
    Set<String> pendingMeters = new TreeSet<>();
    for (Meter meter : meterTable.meters(datapath)) {
      if (meter.isConfirmed()) {
        standing += CeMeters.isMarkMeter(meter) ? 1 : 0;
      } else {
        pendingMeters.add(String.valueOf(meter.id()));
      }
    }
    return new AutoValue_SwitchRules(first, second, marks, pendingRules, standing, pendingMeters);
  }

  /** Rules that the switch has confirmed in its first table. */
  public abstract int firstTableRules();

  /** Rules that the switch has confirmed in its second table. */
  public abstract int secondTableRules();

  /** Confirmed rules that match marked packets, {@code ip_ecn=3}. */
  public abstract int markRules();

  /** Rules that were sent and are not confirmed, by the platform's name. */
  public abstract Set<String> pendingRules();

  /** Confirmed meters that count marks. */
  public abstract int meters();

  /** Meters that were sent and are not confirmed, by number. */
  public abstract Set<String> pendingMeters();
}

// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.doctor;

import static org.sluice.api.Finding.Severity.ERROR;
import static org.sluice.api.Finding.Severity.NOTE;
import static org.sluice.api.Finding.Severity.WARNING;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.sluice.api.Finding;
import org.sluice.api.counters.SwitchCounters;
import org.sluice.core.doctor.Condition.SwitchCondition;
import org.sluice.core.setting.SettingTable;
import org.sluice.core.spi.OperatorCommand;
import org.sluice.core.spi.PlatformDiagnosis;
import org.sluice.core.spi.Symptom;

/** Switches: who controls them, what they have taken, how their counters come. */
final class SwitchCheck implements Check {
  /** A reply later than that is too late for a decision every 5 ms to lean on. */
  private static final long SLOW_REPLY_MICROS = 50_000;

  /** Requests given up, out of so many, that are no accident. */
  private static final long TIMEOUTS_IN = 100;

  @Override
  public List<Finding> examine(Condition condition) {
    List<Finding> found = new ArrayList<>();
    masters(condition, found);
    for (SwitchCondition one : condition.switches()) {
      one.counters().ifPresent(counters -> replies(counters, found));
    }
    Map<String, Map<Symptom.Kind, Integer>> counts = new TreeMap<>();
    for (Symptom symptom : condition.symptoms()) {
      counts
          .computeIfAbsent(symptom.datapath(), d -> new EnumMap<>(Symptom.Kind.class))
          .merge(symptom.kind(), 1, Integer::sum);
    }
    counts.forEach((datapath, kinds) -> symptoms(condition.platform(), datapath, kinds, found));
    return found;
  }

  private static void masters(Condition condition, List<Finding> found) {
    Map<String, List<String>> elsewhere = new TreeMap<>();
    for (SwitchCondition one : condition.switches()) {
      if (one.master().isEmpty()) {
        found.add(
            Finding.of(
                ERROR,
                one.datapath(),
                "No controller node is its master",
                condition.platform().masterRemedy()));
      } else if (!one.masteredHere()) {
        elsewhere.computeIfAbsent(one.master().get(), m -> new ArrayList<>()).add(one.datapath());
      }
    }
    elsewhere.forEach(
        (node, datapaths) ->
            found.add(
                Finding.of(
                    NOTE,
                    "node " + node,
                    "It is the master of "
                        + Check.some(datapaths)
                        + ", which this node therefore does not examine",
                    condition.platform().command(OperatorCommand.EXAMINE_NODE, node))));
  }

  private static void replies(SwitchCounters counters, List<Finding> found) {
    if (!counters.connected()) {
      return;
    }
    boolean lossy = counters.timeouts() * TIMEOUTS_IN > counters.requests();
    if (lossy || counters.replyMicrosP99() > SLOW_REPLY_MICROS) {
      found.add(
          Finding.of(
              WARNING,
              counters.datapath(),
              String.format(
                  "Its fast counters are slow: 99 %% of replies within %d ms, %d of %d requests"
                      + " given up",
                  counters.replyMicrosP99() / 1000, counters.timeouts(), counters.requests()),
              "On the switch: top -H -p $(pidof ovs-vswitchd); its main thread, or the management"
                  + " network, is overloaded"));
    }
  }

  private static void symptoms(
      PlatformDiagnosis platform,
      String datapath,
      Map<Symptom.Kind, Integer> kinds,
      List<Finding> found) {
    boolean explained = true;
    if (kinds.containsKey(Symptom.Kind.NO_RULES)) {
      found.add(
          Finding.of(
              ERROR,
              datapath,
              "It has confirmed none of Sluice's rules",
              platform.symptomRemedy(Symptom.Kind.NO_RULES, datapath)));
    } else if (kinds.containsKey(Symptom.Kind.NO_SECOND_TABLE)) {
      found.add(
          Finding.of(
              ERROR,
              datapath,
              "It takes rules into its first table only; Sluice's own forwarding needs two",
              platform.settingCommand(SettingTable.FORWARDING.name(), "other")
                  + ", with an application that forwards"));
    } else {
      explained = false;
    }
    if (kinds.containsKey(Symptom.Kind.NO_ECN)) {
      explained = true;
      found.add(
          Finding.of(
              WARNING,
              datapath,
              "It takes no rule that matches ip_ecn: marks are counted by hosts alone",
              "On Open vSwitch: ovs-vsctl set bridge BRIDGE protocols=OpenFlow13; other switches"
                  + " need an OpenFlow 1.3 pipeline with ip_ecn"));
    }
    meters(platform, datapath, kinds, found);
    int pending = kinds.getOrDefault(Symptom.Kind.RULE_PENDING, 0);
    if (pending > 0 && !explained) {
      found.add(
          Finding.of(
              WARNING,
              datapath,
              Check.count(pending, "rule") + " not confirmed by the switch",
              platform.symptomRemedy(Symptom.Kind.RULE_PENDING, datapath)
                  + " lists them; the switch's log has what it refused"));
    }
    if (kinds.containsKey(Symptom.Kind.SLOW_COUNTERS)) {
      found.add(
          Finding.of(
              WARNING,
              datapath,
              "It does not have Sluice as its second controller: its counters come every few"
                  + " seconds",
              "sluice-switch-setup BRIDGE, and run on the switch what it prints"));
    }
  }

  private static void meters(
      PlatformDiagnosis platform,
      String datapath,
      Map<Symptom.Kind, Integer> kinds,
      List<Finding> found) {
    int pending = kinds.getOrDefault(Symptom.Kind.METER_PENDING, 0);
    if (pending > 0) {
      found.add(
          Finding.of(
              WARNING,
              datapath,
              Check.count(pending, "meter") + " not confirmed by the switch",
              platform.symptomRemedy(Symptom.Kind.METER_PENDING, datapath)
                  + "; on Open vSwitch: ovs-ofctl -O OpenFlow13 meter-features"
                  + " BRIDGE"));
    } else if (kinds.containsKey(Symptom.Kind.NO_METERS)) {
      found.add(
          Finding.of(
              WARNING,
              datapath,
              "It takes no meter: marks are counted by hosts alone",
              "On Open vSwitch 2.10 or newer: ovs-vsctl set bridge BRIDGE protocols=OpenFlow13; the"
                  + " kernel datapath needs Linux 4.15"));
    }
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.micro;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.sluice.api.link.DownlinkMessage;
import org.sluice.api.link.PortThresholds;
import org.sluice.core.link.HostMessages;
import org.sluice.core.setting.SettingTable;
import org.sluice.engine.law.DaDctcpLaw;
import org.sluice.engine.law.ThresholdDivision;

/**
 * DA-DCTCP's controller (section 3.2) for port agents: what the queues of a port, or of a switch,
 * mark above is divided anew among them whenever one of them has reported. The budget is what
 * agents are configured with. The master of the ports' switch sends thresholds, which end by
 * themselves where nobody renews them. Engine thread only.
 */
final class ThresholdDivider {
  /** How long thresholds hold. */
  static final long HOLD_NANOS = TimeUnit.SECONDS.toNanos(1);

  private static final long RENEWAL_NANOS = HOLD_NANOS / 3;

  /** A sender's least window: a queue that is idle now may be busy before the next division. */
  private static final int LEAST_PACKETS = 2;

  private static final double AVERAGING_WEIGHT = 1.0 / 8;

  /** Agents mark above whole packets; sums of roots are a little off. */
  private static final double ROUNDING = 1e-9;

  private final MicroFlowContext context;
  private final PortAgents agents;
  private final HostMessages<PortThresholds> messages = new HostMessages<>();
  private final Map<String, Group> groups = new TreeMap<>();
  private SettingTable.ThresholdDivision scope = SettingTable.ThresholdDivision.OFF;
  private long knownEpoch = Long.MIN_VALUE;

  ThresholdDivider(MicroFlowContext context, PortAgents agents) {
    this.context = context;
    this.agents = agents;
  }

  void step(SettingTable.ThresholdDivision wanted, long nowNanos) {
    long epoch = agents.version() + context.authority.epoch();
    if (wanted != scope || epoch != knownEpoch) {
      scope = wanted;
      knownEpoch = epoch;
      regroup(nowNanos);
    }
    groups.values().forEach(group -> group.divide(nowNanos));
    messages.flush(
        (host, term, list) ->
            context.link.send(host, term, DownlinkMessage.ofMarkingThresholds(list)));
  }

  /** Thresholds that were sent end by themselves. */
  void clear() {
    groups.clear();
    scope = SettingTable.ThresholdDivision.OFF;
  }

  private void regroup(long nowNanos) {
    groups.clear();
    if (scope == SettingTable.ThresholdDivision.OFF) {
      return;
    }
    Map<String, List<KeptQueue>> ports = new TreeMap<>();
    for (KeptQueue port : agents.all()) {
      if (port.markThresholdPackets() > 0 && context.authority.decidesAbout(port.port)) {
        String name =
            scope == SettingTable.ThresholdDivision.SWITCH
                ? port.port.datapath()
                : port.port.toString();
        ports.computeIfAbsent(name, key -> new ArrayList<>()).add(port);
      }
    }
    ports.forEach(
        (name, members) -> {
          if (members.stream().mapToInt(KeptQueue::queues).sum() > 1) {
            groups.put(name, new Group(members, nowNanos));
          }
        });
  }

  /** Queues that share a budget. */
  private final class Group {
    private final List<KeptQueue> ports;
    private final ThresholdDivision division;
    private final int[] waiting;
    private final double[] averages;
    private final double[] thresholds;
    private final double budgetPackets;
    private List<List<Integer>> sent = List.of();
    private long sentNanos;
    private long samples;

    Group(List<KeptQueue> ports, long nowNanos) {
      this.ports = ports;
      this.sentNanos = nowNanos;
      int count = ports.stream().mapToInt(KeptQueue::queues).sum();
      waiting = new int[count];
      averages = new double[count];
      thresholds = new double[count];
      double sum = 0;
      int most = Integer.MAX_VALUE;
      int at = 0;
      for (KeptQueue port : ports) {
        for (int i = 0; i < port.queues(); i++) {
          thresholds[at++] = port.markThresholdPackets();
          sum += port.markThresholdPackets();
        }
        most = Math.min(most, port.bufferPackets() / 2); // so that K2 fits
      }
      budgetPackets = sum;
      division = new ThresholdDivision(LEAST_PACKETS, Math.max(LEAST_PACKETS, most));
    }

    /** Once for each new report. */
    void divide(long nowNanos) {
      long newest = ports.stream().mapToLong(KeptQueue::samples).sum();
      if (newest == samples) {
        return;
      }
      samples = newest;
      int at = 0;
      for (KeptQueue port : ports) {
        for (int i = 0; i < port.queues(); i++, at++) {
          waiting[at] = port.waitingPackets(i, nowNanos);
          averages[at] = DaDctcpLaw.average(averages[at], waiting[at], AVERAGING_WEIGHT);
        }
      }
      division.divide(waiting, averages, thresholds, budgetPackets);
      send(nowNanos);
    }

    private void send(long nowNanos) {
      List<List<Integer>> now = new ArrayList<>();
      int at = 0;
      for (KeptQueue port : ports) {
        List<Integer> packets = new ArrayList<>();
        for (int i = 0; i < port.queues(); i++) {
          packets.add((int) (thresholds[at++] + ROUNDING));
        }
        now.add(packets);
      }
      if (now.equals(sent) && nowNanos - sentNanos < RENEWAL_NANOS) {
        return;
      }
      sent = now;
      sentNanos = nowNanos;
      for (int i = 0; i < ports.size(); i++) {
        KeptQueue port = ports.get(i);
        messages.add(
            port.agent,
            context.termOfPort.applyAsLong(port.port),
            PortThresholds.of(port.port, now.get(i), HOLD_NANOS));
      }
    }
  }
}

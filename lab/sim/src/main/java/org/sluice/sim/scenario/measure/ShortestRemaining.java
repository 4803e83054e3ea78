// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.scenario.measure;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.List;

/**
 * An ideal schedule of transfers, that by shortest remaining time first (Alizadeh et al.,
 * "pFabric", SIGCOMM 2013, section 3): the fabric is one switch without delay or queues, who
 * schedules knows all sizes, and of the transfers in the order of what is left of them each goes at
 * full rate whose sender and receiver no earlier one takes.
 */
public final class ShortestRemaining {
  /** Of a nanosecond: what rounding leaves. */
  private static final double LITTLE = 1e-3;

  private ShortestRemaining() {}

  /**
   * A transfer.
   *
   * @param sender number of the host, at least 0
   * @param receiver number of the host, at least 0
   * @param nanos that it takes alone, above 0
   */
  public record Transfer(long startNanos, int sender, int receiver, double nanos) {}

  private static final class Open {
    final int number;
    final Transfer transfer;
    double leftNanos;

    Open(int number, Transfer transfer) {
      this.number = number;
      this.transfer = transfer;
      leftNanos = transfer.nanos();
    }
  }

  /** How long each takes, ns, in their order. */
  public static double[] durationsNanos(List<Transfer> transfers) {
    List<Open> coming = new ArrayList<>();
    for (int i = 0; i < transfers.size(); i++) {
      coming.add(new Open(i, transfers.get(i)));
    }
    coming.sort(Comparator.comparingLong(each -> each.transfer.startNanos()));
    double[] durations = new double[transfers.size()];
    List<Open> open = new ArrayList<>();
    int next = 0;
    double now = 0;
    while (next < coming.size() || !open.isEmpty()) {
      if (open.isEmpty()) {
        now = Math.max(now, coming.get(next).transfer.startNanos());
      }
      while (next < coming.size() && coming.get(next).transfer.startNanos() <= now) {
        open.add(coming.get(next++));
      }
      open.sort(Comparator.comparingDouble(each -> each.leftNanos));
      List<Open> sending = matched(open);
      // The first in the order always sends, and of all ends first.
      double step = sending.get(0).leftNanos;
      if (next < coming.size()) {
        step = Math.min(step, coming.get(next).transfer.startNanos() - now);
      }
      now += step;
      for (Open each : sending) {
        each.leftNanos -= step;
        if (each.leftNanos < LITTLE) {
          durations[each.number] = now - each.transfer.startNanos();
        }
      }
      open.removeIf(each -> each.leftNanos < LITTLE);
    }
    return durations;
  }

  private static List<Open> matched(List<Open> sorted) {
    BitSet senders = new BitSet();
    BitSet receivers = new BitSet();
    List<Open> sending = new ArrayList<>();
    for (Open each : sorted) {
      int sender = each.transfer.sender();
      int receiver = each.transfer.receiver();
      if (!senders.get(sender) && !receivers.get(receiver)) {
        senders.set(sender);
        receivers.set(receiver);
        sending.add(each);
      }
    }
    return sending;
  }
}

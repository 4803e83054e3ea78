// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.agent;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.sluice.api.PortId;
import org.sluice.api.link.BackgroundQueueSample;
import org.sluice.api.link.LevelQueueSample;
import org.sluice.api.link.PortQueueSample;
import org.sluice.sim.queue.CappedQueue;
import org.sluice.sim.queue.MicroFlowQueues;

/** What the queues of one port have done since they were described last. */
final class LevelCounts {
  private final MicroFlowQueues queues;
  private final Counted[] micro;
  private final Counted[] background;

  /** Of background queues that a controller has set. */
  private final PortId[] downstream;

  private record Counted(long packets, long bytes, long dropped) {
    static final Counted NOTHING = new Counted(0, 0, 0);

    static Counted of(CappedQueue queue) {
      return new Counted(queue.sentPackets(), queue.sentBytes(), queue.dropped());
    }

    Counted plus(Counted other, int sign) {
      return new Counted(
          packets + sign * other.packets,
          bytes + sign * other.bytes,
          dropped + sign * other.dropped);
    }

    LevelQueueSample sample(int waiting) {
      return LevelQueueSample.of(packets, bytes, dropped, waiting);
    }
  }

  LevelCounts(MicroFlowQueues queues) {
    this.queues = queues;
    this.micro = new Counted[queues.limits().levels() - 1];
    this.background = new Counted[queues.limits().background()];
    this.downstream = new PortId[background.length];
    Arrays.fill(micro, Counted.NOTHING);
    Arrays.fill(background, Counted.NOTHING);
  }

  /** No controller has set a background queue. */
  void clear() {
    Arrays.fill(downstream, null);
  }

  /** A controller has set a background queue. */
  void name(int queue, PortId port) {
    downstream[queue] = port;
  }

  PortQueueSample describe(PortQueueSample sample, long nowNanos) {
    List<LevelQueueSample> levels = new ArrayList<>();
    for (int level = 0; level < micro.length; level++) {
      CappedQueue queue = queues.micro(level);
      levels.add(more(queue, micro, level).sample(queue.packets()));
    }
    Counted last = Counted.NOTHING;
    int waiting = 0;
    List<BackgroundQueueSample> set = new ArrayList<>();
    for (int i = 0; i < background.length; i++) {
      CappedQueue queue = queues.background(i);
      Counted more = more(queue, background, i);
      last = last.plus(more, 1);
      waiting += queue.packets();
      if (downstream[i] != null) {
        long cap = queue.capBitsPerSecond(nowNanos);
        set.add(
            BackgroundQueueSample.of(
                downstream[i], more.bytes(), more.dropped(), queue.packets(), cap));
      }
    }
    levels.add(last.sample(waiting));
    return sample.with(queues.limits().microPackets(), levels, set);
  }

  private static Counted more(CappedQueue queue, Counted[] before, int at) {
    Counted now = Counted.of(queue);
    Counted more = now.plus(before[at], -1);
    before[at] = now;
    return more;
  }
}

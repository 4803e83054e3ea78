// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.deployment;

import org.sluice.sim.network.Host;
import org.sluice.sim.network.Port;
import org.sluice.sim.network.Switch;
import org.sluice.sim.queue.MicroFlowQueues;

/**
 * The queues of ports that serve by levels.
 *
 * @param hosts whether hosts' NICs have such queues, too, where no law's classes are
 * @param buffer packets that each queue of a switch has space for, at least 1
 * @param hostBuffer packets that each micro queue of a host's NIC has space for, at least 1
 * @param hostBackgroundBuffer packets that its background queue has space for, at least 1
 * @param portBuffer packets that all queues of a switch's port together have space for; 0 for no
 *     limit but each queue's own
 * @param markAt from how many packets in a queue of a switch, with portBuffer in its port, on
 *     others get a mark; 0 for never
 * @param priorityShare up to which part of a port's rate micro queues go first, [0, 1]
 */
public record LevelQueueParameters(
    boolean hosts,
    int buffer,
    int hostBuffer,
    int hostBackgroundBuffer,
    int portBuffer,
    int markAt,
    double priorityShare) {
  /** A port agent's: 100 packets for each queue, and strict priority; hosts have a device's. */
  public static final LevelQueueParameters DEFAULTS =
      new LevelQueueParameters(false, 100, 1000, 1000, 0, 0, 1);

  private static final int PACKET_BYTES = 1500;

  /** Gives a port its queues. */
  void install(Port port, int levels) {
    boolean isHosts = port.owner() instanceof Host;
    int beyond = port.peer() instanceof Switch next ? next.ports().size() : 0;
    MicroFlowQueues.Limits limits =
        isHosts
            ? new MicroFlowQueues.Limits(
                levels,
                hostBuffer,
                1,
                hostBackgroundBuffer,
                MicroFlowQueues.Limits.UNLIMITED,
                MicroFlowQueues.Limits.UNLIMITED)
            : new MicroFlowQueues.Limits(
                levels, buffer, 1 + beyond, buffer, limit(portBuffer), limit(markAt));
    port.setQueue(
        new MicroFlowQueues(limits, port.rateBitsPerSecond(), priorityShare, PACKET_BYTES));
  }

  private static int limit(int packets) {
    return packets == 0 ? MicroFlowQueues.Limits.UNLIMITED : packets;
  }
}

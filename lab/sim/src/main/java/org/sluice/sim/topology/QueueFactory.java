// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.topology;

import java.util.SplittableRandom;
import org.sluice.sim.network.LinkParameters;
import org.sluice.sim.queue.DropTail;
import org.sluice.sim.queue.QueueDiscipline;
import org.sluice.sim.queue.RedParameters;
import org.sluice.sim.queue.RedQueue;

/** Makes one port's queue. */
public interface QueueFactory {
  /**
   * @param link what the queue stands in front of
   * @param random the port's own
   */
  QueueDiscipline create(LinkParameters link, SplittableRandom random);

  /** Space for so many packets, no marks. */
  static QueueFactory dropTail(int limitPackets) {
    return (link, random) -> new DropTail(limitPackets);
  }

  static QueueFactory red(RedParameters parameters) {
    return (link, random) -> new RedQueue(parameters, link.rateBitsPerSecond(), random);
  }
}

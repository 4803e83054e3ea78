// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.scenario.build;

import java.util.Locale;
import org.sluice.sim.queue.DividedQueues;
import org.sluice.sim.queue.DividedQueues.Marking;
import org.sluice.sim.queue.JitteredQueue;
import org.sluice.sim.queue.PerFlowQueue;
import org.sluice.sim.queue.RedParameters;
import org.sluice.sim.queue.RedParameters.NonEct;
import org.sluice.sim.scenario.document.Fields;
import org.sluice.sim.topology.QueueFactory;

/** Queues as a scenario describes them. */
final class QueueBuilder {
  private QueueBuilder() {}

  static QueueFactory queue(Fields queue) {
    int packets = queue.integer("packets", 0);
    if (queue.text("kind", "").equals("red")) {
      return QueueFactory.red(red(queue, packets));
    }
    if (queue.text("kind", "").equals("perFlow")) {
      return (link, random) -> new PerFlowQueue(packets);
    }
    if (queue.text("kind", "").equals("divided")) {
      Marking marking = Marking.valueOf(queue.text("marking", "step").toUpperCase(Locale.ROOT));
      int queues = queue.integer("queues", 1);
      double markAt = queue.number("markAt", 0);
      return (link, random) -> new DividedQueues(marking, queues, packets, markAt);
    }
    QueueFactory dropTail = QueueFactory.dropTail(packets);
    long jitter = queue.nanos("jitter", 0);
    return jitter == 0
        ? dropTail
        : (link, random) -> new JitteredQueue(dropTail.create(link, random), jitter, random);
  }

  private static RedParameters red(Fields queue, int packets) {
    boolean step = queue.has("markAt");
    if (step == (queue.has("minAt") || queue.has("maxAt"))) {
      throw queue.problem(
          "", "the thresholds are not clear", "give either markAt, or minAt and maxAt");
    }
    double minAt = queue.number(step ? "markAt" : "minAt", 0);
    double maxAt = queue.number(step ? "markAt" : "maxAt", minAt);
    if (maxAt < minAt) {
      throw queue.problem("maxAt", "it is below minAt", "give at least " + minAt);
    }
    return new RedParameters(
        packets,
        minAt,
        maxAt,
        queue.number("maxProbability", 1),
        queue.number("averagingWeight", 1),
        queue.flag("ecn", true),
        queue.text("nonEct", "drop").equals("drop") ? NonEct.DROP : NonEct.PASS);
  }
}

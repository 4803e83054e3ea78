// SPDX-License-Identifier: Apache-2.0
package org.sluice.agentlink;

import com.google.protobuf.UnsafeByteOperations;
import java.util.List;
import org.sluice.agentlink.proto.ControllerMessage;
import org.sluice.agentlink.proto.MarkingThresholds;
import org.sluice.agentlink.proto.RateCaps;
import org.sluice.api.IpAddress;
import org.sluice.api.link.BackgroundQueue;
import org.sluice.api.link.BackgroundQueues;
import org.sluice.api.link.PortThresholds;
import org.sluice.api.link.RateCap;

/** Encodes messages to port agents about their queues. */
final class QueueMessageEncoder {

  private QueueMessageEncoder() {}

  static ControllerMessage.Builder backgroundQueues(long term, BackgroundQueues queues) {
    org.sluice.agentlink.proto.BackgroundQueues.Builder body =
        org.sluice.agentlink.proto.BackgroundQueues.newBuilder().setPort(queues.port().toString());
    for (BackgroundQueue queue : queues.queues()) {
      org.sluice.agentlink.proto.BackgroundQueue.Builder one =
          org.sluice.agentlink.proto.BackgroundQueue.newBuilder()
              .setDownstream(queue.downstream().toString());
      for (IpAddress destination : queue.destinations()) {
        // toBytes() returns a fresh array without other references.
        one.addDestinations(UnsafeByteOperations.unsafeWrap(destination.toBytes()));
      }
      body.addQueues(one);
    }
    return ControllerMessage.newBuilder().setTerm(term).setBackgroundQueues(body);
  }

  static ControllerMessage.Builder rateCaps(long term, List<RateCap> caps) {
    RateCaps.Builder body = RateCaps.newBuilder();
    for (RateCap cap : caps) {
      body.addCaps(
          org.sluice.agentlink.proto.RateCap.newBuilder()
              .setPort(cap.port().toString())
              .setDownstream(cap.downstream().toString())
              .setBitsPerSecond(cap.bitsPerSecond())
              .setHoldNanos(cap.holdNanos()));
    }
    return ControllerMessage.newBuilder().setTerm(term).setRateCaps(body);
  }

  static ControllerMessage.Builder thresholds(long term, List<PortThresholds> ports) {
    MarkingThresholds.Builder body = MarkingThresholds.newBuilder();
    for (PortThresholds port : ports) {
      body.addPorts(
          org.sluice.agentlink.proto.PortThresholds.newBuilder()
              .setPort(port.port().toString())
              .addAllPackets(port.packets())
              .setHoldNanos(port.holdNanos()));
    }
    return ControllerMessage.newBuilder().setTerm(term).setMarkingThresholds(body);
  }
}

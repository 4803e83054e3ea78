// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.shim.host;

import org.sluice.sim.network.Host;
import org.sluice.sim.network.Network;
import org.sluice.sim.packet.Ecn;
import org.sluice.sim.packet.Packet;
import org.sluice.sim.packet.Protocol;
import org.sluice.sim.shim.queue.ClassQueue;

/** Sends a shim's messages to other shims, in band. */
public final class ShimMessages {
  private final Network network;
  private final Host host;
  private long sent;

  ShimMessages(Network network, Host host) {
    this.network = network;
    this.host = host;
  }

  /** A message to be filled. */
  public Packet blank(int ipBytes) {
    Packet message = network.pool().take();
    message.ipBytes = ipBytes;
    return message;
  }

  /** Sends a message about a pair's packets to its other end, if there is a shim. */
  public void send(PairState pair, Packet message) {
    if (!network.endpoint(pair.remote).host().hasShim()) {
      network.pool().giveBack(message);
      return;
    }
    message.protocol = Protocol.SLUICE;
    message.source = pair.local.endpoint.number();
    message.destination = pair.remote;
    message.flowHash = message.source * 0x9E3779B9 ^ message.destination;
    message.ecn = Ecn.ECT_0;
    message.queueClass = ClassQueue.CONTROL;
    message.timestampNanos = network.scheduler().now();
    sent++;
    host.nic().send(message);
  }

  long sent() {
    return sent;
  }
}

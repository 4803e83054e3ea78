// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.shim.sluice;

import org.sluice.api.PortId;
import org.sluice.sim.packet.Packet;
import org.sluice.sim.shim.feedback.RelayedShare;
import org.sluice.sim.shim.feedback.ShareRelay;
import org.sluice.sim.shim.host.PairState;
import org.sluice.sim.shim.host.ShimMessages;
import org.sluice.sim.shim.law.PortShare;

/**
 * The receiver's part: sends senders' shims what has arrived, and relays them the shares of the
 * ports that mark their packets.
 */
final class FeedbackSender {
  /** 20 + 64 bytes: an IPv4 header, and the agent's message with its authentication. */
  private static final int MESSAGE_IP_BYTES = 84;

  private final ShimMessages messages;
  private final ShareRelay shares;
  private final long endNanos;

  FeedbackSender(ShimMessages messages, ShareRelay shares, long endNanos) {
    this.messages = messages;
    this.endNanos = endNanos;
    this.shares = shares;
  }

  /** Takes a share from the controller; see {@link ShareRelay#put}. */
  void setShare(PortId port, PortShare share, int[] reached) {
    shares.put(port, share, reached);
  }

  /** Sends what is due about a pair's received packets. */
  void turn(PairState pair, long nowNanos) {
    if (!pair.sentFeedback.isDue(
        pair.receivedPackets, pair.receivedBytes, pair.markedPackets(), nowNanos, endNanos)) {
      return;
    }
    Packet message = messages.blank(MESSAGE_IP_BYTES);
    boolean isMarked =
        pair.sentFeedback.write(
            message, pair.receivedPackets, pair.receivedBytes, pair.markedPackets(), nowNanos);
    messages.send(pair, message);
    // Its first packets need not be marked: else it would begin with all that its host may send.
    boolean isNew = !pair.sentFeedback.hasRelayed();
    if ((isMarked || isNew) && pair.sentFeedback.mayRelay(nowNanos)) {
      relayShare(pair, nowNanos);
    }
  }

  private void relayShare(PairState pair, long nowNanos) {
    RelayedShare lowest = shares.lowest(pair.local.endpoint.number());
    if (lowest != null) {
      pair.sentFeedback.relayed(nowNanos);
      Packet message = messages.blank(MESSAGE_IP_BYTES);
      message.attachment = lowest;
      messages.send(pair, message);
    }
  }
}

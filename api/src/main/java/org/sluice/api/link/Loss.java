// SPDX-License-Identifier: Apache-2.0
package org.sluice.api.link;

import com.google.auto.value.AutoValue;
import java.util.Optional;
import org.sluice.api.PortId;
import org.sluice.api.deadline.FlowKey;

/** A TCP packet with payload that the queue of a port had no space for. */
@AutoValue
public abstract class Loss {
  /** The agent keeps no copy of the packet. */
  public static final long NOT_KEPT = 0;

  private static final byte[] NO_FRAME = {};

  /**
   * A lost packet.
   *
   * @param flow exact, in the direction of the packet
   * @param sequence of its first byte of payload, 0 to 2^32 - 1
   * @param payloadBytes above 0
   * @param kept what to have it sent again by, or {@link #NOT_KEPT}
   */
  public static Loss of(PortId port, FlowKey flow, long sequence, int payloadBytes, long kept) {
    return new AutoValue_Loss(port, flow, sequence, payloadBytes, kept, NO_FRAME);
  }

  /**
   * The same with the packet itself.
   *
   * @param frame from Ethernet's header on, without frame check sequence
   */
  public Loss withFrame(byte[] frame) {
    return new AutoValue_Loss(port(), flow(), sequence(), payloadBytes(), kept(), frame.clone());
  }

  public abstract PortId port();

  public abstract FlowKey flow();

  /** TCP's sequence number of the first byte of payload, 0 to 2^32 - 1. */
  public abstract long sequence();

  public abstract int payloadBytes();

  /**
   * Under which name the port's agent keeps the packet for up to a second, or {@link #NOT_KEPT}.
   */
  public abstract long kept();

  @SuppressWarnings("mutable") // A copy that is never handed out.
  abstract byte[] ownFrame();

  /** The packet itself, from Ethernet's header on; empty unless hosts are to report it. */
  public final Optional<byte[]> frame() {
    return ownFrame().length == 0 ? Optional.empty() : Optional.of(ownFrame().clone());
  }
}

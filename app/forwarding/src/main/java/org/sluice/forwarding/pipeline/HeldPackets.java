// SPDX-License-Identifier: Apache-2.0
package org.sluice.forwarding.pipeline;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.sluice.api.IpAddress;
import org.sluice.api.PortId;

/**
 * Packets for addresses whose place is not known yet. Another node of the cluster may know it, or
 * the answer to a question may be on its way: without this a first contact waits for its sender's
 * next attempt. At a limit a packet is not held, and its sender tries again.
 */
final class HeldPackets {
  static final long HOLD_NANOS = TimeUnit.SECONDS.toNanos(1);
  static final int MOST = 512;
  static final int MOST_FROM_A_PORT = 16;

  /** One packet, and where it is to go. */
  static final class Delivery {
    final PortId out;
    final byte[] frame;

    private Delivery(PortId out, byte[] frame) {
      this.out = out;
      this.frame = frame;
    }
  }

  private static final class Held {
    private final IpAddress to;
    private final PortId from;
    private final byte[] frame;
    private final long untilNanos;

    Held(IpAddress to, PortId from, byte[] frame, long untilNanos) {
      this.to = to;
      this.from = from;
      this.frame = frame;
      this.untilNanos = untilNanos;
    }
  }

  private final Deque<Held> held = new ArrayDeque<>();

  synchronized void hold(IpAddress to, PortId from, byte[] frame, long nowNanos) {
    dropExpired(nowNanos);
    long ofPort = held.stream().filter(each -> each.from.equals(from)).count();
    if (held.size() < MOST && ofPort < MOST_FROM_A_PORT) {
      held.add(new Held(to, from, frame, nowNanos + HOLD_NANOS));
    }
  }

  /** Those whose address has a place now; they are held no longer. */
  synchronized List<Delivery> release(Function<IpAddress, Optional<PortId>> locate, long nowNanos) {
    dropExpired(nowNanos);
    List<Delivery> deliveries = new ArrayList<>();
    for (Iterator<Held> each = held.iterator(); each.hasNext(); ) {
      Held packet = each.next();
      Optional<PortId> out = locate.apply(packet.to);
      if (out.isPresent()) {
        deliveries.add(new Delivery(out.get(), packet.frame));
        each.remove();
      }
    }
    return deliveries;
  }

  private void dropExpired(long nowNanos) {
    while (!held.isEmpty() && nowNanos - held.peek().untilNanos >= 0) {
      held.remove();
    }
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.sluice.forwarding.spi;

import com.google.auto.value.AutoValue;
import java.util.OptionalLong;
import org.sluice.api.PortId;

/** Packets that switches send to the controller. */
public interface PacketIn {

  /** A packet as it arrived. */
  @AutoValue
  abstract class Packet {

    /**
     * A packet.
     *
     * @param port by which it entered its switch, a physical one
     * @param frame Ethernet, without frame check sequence; not to be written to
     * @param cookie of the rule that sent it, as {@link RuleTable#cookie} gives it; empty: unknown
     */
    public static Packet of(PortId port, byte[] frame, OptionalLong cookie) {
      return new AutoValue_PacketIn_Packet(port, frame, cookie);
    }

    public abstract PortId port();

    @SuppressWarnings("mutable") // A copy per packet, for nothing.
    public abstract byte[] frame();

    public abstract OptionalLong cookie();
  }

  /** Who is asked first. */
  enum Stage {
    /** Those who listen to packets that have been forwarded. */
    COPIES,
    /** Those who deliver packets that no rule knows. */
    UNKNOWN
  }

  /** Is called on any thread; must not block. */
  interface Listener {
    /** Takes a packet; whether it is dealt with, so that nobody else need look at it. */
    boolean received(Packet packet);
  }

  void addListener(Stage stage, Listener listener);

  /** No call begins afterwards. */
  void removeListener(Listener listener);

  /** Has every switch send ARP to the controller, and not forward it, where no rule says else. */
  void requestArp();

  /** Ends that. */
  void cancelArp();
}

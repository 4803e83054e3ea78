// SPDX-License-Identifier: Apache-2.0
package org.sluice.forwarding.pipeline;

import com.google.auto.value.AutoValue;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.sluice.api.MacAddress;
import org.sluice.api.PortId;
import org.sluice.core.spi.Epoch;

/**
 * What the controller does at most for packets that switches send it from an edge port, because no
 * rule knows them or a rule copies them.
 */
public interface Punts {

  /** Who causes a packet. */
  enum Kind {
    /** Its sender: a question, a packet to an unknown address. */
    QUESTION,
    /** Somebody else: a replier cannot choose how often it is requested. */
    ANSWER
  }

  /**
   * For a while a switch is to keep to itself what a sender, or anybody behind a port, sends it.
   */
  @AutoValue
  abstract class Pause {
    static Pause of(PortId port, Optional<MacAddress> sender, Kind kind) {
      return new AutoValue_Punts_Pause(port, sender, kind);
    }

    public abstract PortId port();

    /** Empty: everybody behind the port. */
    public abstract Optional<MacAddress> sender();

    public abstract Kind kind();
  }

  /** Advances whenever a pause begins. */
  Epoch epoch();

  /** One more packet; whether the controller evaluates it. */
  boolean take(PortId port, MacAddress sender, Kind kind);

  /** Packets that the controller is to send because of one; whether it does. */
  boolean takeFlood(PortId port, int packets);

  /** Those that last. */
  List<Pause> pauses();

  /** Packets that were not evaluated, by port, of ports where that was in the last minute. */
  Map<PortId, Long> refused();
}

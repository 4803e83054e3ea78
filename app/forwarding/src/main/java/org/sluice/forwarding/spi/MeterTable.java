// SPDX-License-Identifier: Apache-2.0
package org.sluice.forwarding.spi;

import java.util.Collection;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.sluice.core.spi.Epoch;

/**
 * Sluice's meters on switches, as the platform keeps them. It may learn only seconds later from a
 * switch that a meter stands, and brings those that it knows back to a switch that has lost them.
 * No call waits for a switch.
 */
public interface MeterTable {

  /** Advances whenever a meter was confirmed or removed. */
  Epoch epoch();

  /** Sluice's meters of a switch that stand or will, those of an earlier life among them. */
  Collection<Meter> meters(String datapath);

  /**
   * Sends a meter to a switch.
   *
   * @param refused receives the reason if the switch refuses it, on any thread
   * @return its number
   * @throws RuntimeException if the platform knows already that the switch takes no more
   */
  long add(String datapath, long kilobitsPerSecond, long burstKilobits, Consumer<String> refused);

  /** Takes a meter back; a switch drops the rules that lead through it, too. */
  void remove(String datapath, long meter);

  /**
   * Gives a meter another rate where it is: rules that use it stay, and packets pass meanwhile.
   * {@link #meters} goes on having the rate with which it was made, and a switch that has lost the
   * meter gets it back with that. Open vSwitch fills a meter's bucket then.
   *
   * @return whether it was sent; false: the switch is away, or this node is not its master
   */
  boolean change(String datapath, long meter, long kilobitsPerSecond, long burstKilobits);

  /** Has a listener receive meters that a switch has refused to change, on any thread. */
  void setRefusalListener(BiConsumer<String, Long> listener);
}

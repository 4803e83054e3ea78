// SPDX-License-Identifier: Apache-2.0
package org.sluice.api.counters;

import com.google.auto.value.AutoValue;
import java.util.Map;

/** What is to be read of one switch. */
@AutoValue
public abstract class CounterTargets {
  private static final long MAX_NUMBER = 0xffffffffL;

  /**
   * Targets of a switch.
   *
   * @param portCapacities port number to capacity in bit/s, 0 where it is not known
   * @param markMeters number of a meter that counts marked packets to the port through which they
   *     enter
   * @throws IllegalArgumentException if a number is outside 0 to 2^32 - 1 or a capacity negative
   */
  public static CounterTargets of(Map<Long, Long> portCapacities, Map<Long, Long> markMeters) {
    portCapacities.forEach(
        (port, capacity) -> {
          checkNumber("portCapacities", port);
          if (capacity < 0) {
            throw new IllegalArgumentException(
                "portCapacities: port " + port + " has " + capacity + " bit/s: use 0 or more");
          }
        });
    markMeters.forEach(
        (meter, port) -> {
          checkNumber("markMeters", meter);
          checkNumber("markMeters", port);
        });
    return new AutoValue_CounterTargets(Map.copyOf(portCapacities), Map.copyOf(markMeters));
  }

  private static void checkNumber(String field, long number) {
    if (number < 0 || number > MAX_NUMBER) {
      throw new IllegalArgumentException(
          field + ": " + number + " is not the number of a port or meter: use 0 to 4294967295");
    }
  }

  /** Port number to capacity in bit/s; 0: not known. */
  public abstract Map<Long, Long> portCapacities();

  /** Meter number to the port through which the packets it counts enter. */
  public abstract Map<Long, Long> markMeters();
}

// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.spi;

import java.util.Map;
import org.sluice.api.counters.CounterListener;

/**
 * What the platform itself reads of switches, every few seconds, and the meters that it installed.
 */
public interface PlatformCounters {

  /**
   * The meters through which Sluice's rules send marked packets, as far as the platform knows them.
   *
   * @return number of a meter to the number of the port whose marked packets it counts
   */
  Map<Long, Long> markMeters(String datapath);

  /** Registers for what the platform reads of ports. */
  void addListener(CounterListener listener);

  void removeListener(CounterListener listener);
}

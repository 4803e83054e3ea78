// SPDX-License-Identifier: Apache-2.0
package org.sluice.forwarding.testing;

import java.util.List;

/** What switches hold, and what happens to that. */
public interface TablesUnderTest extends StandingTables {

  /**
   * How many rules a switch has been sent or has had taken back. One that is sent again as it is
   * may not count: ONOS does that whenever statistics are older than its store.
   */
  int modifications(String name);

  int meterCount(String name);

  /** The rate of one of a switch's meters, kbit/s. */
  long meterRate(String name, long meter);

  /** The buckets of a switch's meters, kbit. */
  List<Long> meterBursts(String name);

  /** How often a switch was sent a change of a meter. */
  int rateChanges(String name);

  /** Whether switches change a meter when they are requested to, or refuse. */
  void setChangesMeters(boolean value);

  /** How many meters a switch has space for; 0: its platform knows that it takes none. */
  void setMeterSpace(String name, int meterCount);

  /** A switch loses one of its meters, behind the platform's back. */
  void loseMeter(String name, long meter);

  /** A switch loses its tables, as one that restarts. */
  void forget(String name);

  /** The platform loses what it knows of rules, as over a restart. */
  void forgetStoredRules();
}

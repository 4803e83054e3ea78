// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.loop;

import java.util.HashMap;
import java.util.Map;
import java.util.function.LongSupplier;
import org.sluice.api.PortId;
import org.sluice.core.runtime.TakeoverTerms;
import org.sluice.core.spi.Mastership;
import org.sluice.engine.control.PortAuthority;

/** This node decides about the ports of the switches whose master it is, and in which term. */
public final class MasteredPorts implements PortAuthority {
  private final Mastership mastership;
  private final TakeoverTerms terms;

  // Engine thread only: the platform takes its time for each question, and every decision asks.
  private final Map<String, Long> known = new HashMap<>();
  private long knownEpoch = -1;

  public MasteredPorts(Mastership mastership, LongSupplier clockMillis) {
    this.mastership = mastership;
    this.terms = new TakeoverTerms(clockMillis);
  }

  @Override
  public long epoch() {
    return mastership.epoch().get();
  }

  @Override
  public boolean decidesAbout(PortId port) {
    return mastership.isLocal(port.datapath());
  }

  /** The term in which this node decides about a port. Engine thread only. */
  public long term(PortId port) {
    long epochNow = epoch();
    if (epochNow != knownEpoch) {
      known.clear();
      knownEpoch = epochNow;
    }
    return known.computeIfAbsent(
        port.datapath(), datapath -> terms.term(datapath, mastership.takeover(datapath)));
  }
}

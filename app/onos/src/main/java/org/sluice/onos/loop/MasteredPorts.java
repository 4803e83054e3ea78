// SPDX-License-Identifier: Apache-2.0
package org.sluice.onos.loop;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.onosproject.mastership.MastershipListener;
import org.onosproject.mastership.MastershipService;
import org.onosproject.net.DeviceId;
import org.sluice.agentlink.SteadyClock;
import org.sluice.api.PortId;
import org.sluice.engine.control.PortAuthority;

/** This node decides about the ports of the switches whose master it is, and in which term. */
final class MasteredPorts implements PortAuthority {
  private final MastershipService mastership;
  private final TakeoverTerms terms = new TakeoverTerms(SteadyClock::millis);
  private final AtomicLong epoch = new AtomicLong();
  private final MastershipListener listener = event -> epoch.incrementAndGet();

  // The engine's thread alone: ONOS takes its time for each question, and every decision asks.
  private final Map<String, Long> known = new HashMap<>();
  private long knownEpoch;

  MasteredPorts(MastershipService mastership) {
    this.mastership = mastership;
  }

  void start() {
    mastership.addListener(listener);
  }

  void stop() {
    mastership.removeListener(listener);
  }

  @Override
  public long epoch() {
    return epoch.get();
  }

  @Override
  public boolean decidesAbout(PortId port) {
    return mastership.isLocalMaster(device(port));
  }

  /** The term in which this node speaks about a port. For the engine's thread. */
  long term(PortId port) {
    long epochNow = epoch.get();
    if (epochNow != knownEpoch) {
      known.clear();
      knownEpoch = epochNow;
    }
    return known.computeIfAbsent(port.datapath(), datapath -> ask(device(port)));
  }

  private long ask(DeviceId device) {
    return terms.term(device, mastership.getMastershipFor(device).term());
  }

  private static DeviceId device(PortId port) {
    return DeviceId.deviceId(port.datapath());
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.platform;

import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.sluice.api.EndpointId;
import org.sluice.api.IpAddress;
import org.sluice.api.PortId;
import org.sluice.core.spi.EdgeLimit;
import org.sluice.core.spi.EdgeLimits;
import org.sluice.sim.event.Scheduler;
import org.sluice.sim.network.Meter;
import org.sluice.sim.network.Policer;
import org.sluice.sim.packet.Packet;
import org.sluice.sim.shim.host.Addresses;

/** Meters at edge ports, one for each endpoint that is limited there. */
final class EdgeMeters implements EdgeLimits {
  /** A bucket as rules for ONOS have it: what a limit lets through in 200 ms, 2 Mbit at least. */
  private static final double BURST_SECONDS = 0.2;

  private static final double LEAST_BURST_BITS = 2_000_000;

  private final SwitchNames names;
  private final Addresses addresses;
  private final Scheduler scheduler;
  private final Map<EndpointId, Meter> meters = new HashMap<>();
  private final Map<PortId, SourceMeters> ports = new HashMap<>();

  EdgeMeters(SwitchNames names, Addresses addresses, Scheduler scheduler) {
    this.names = names;
    this.addresses = addresses;
    this.scheduler = scheduler;
  }

  @Override
  public void limit(Collection<EdgeLimit> limits) {
    ports.forEach((id, port) -> port.bySource.clear());
    Set<EndpointId> limited = new HashSet<>();
    for (EdgeLimit limit : limits) {
      limited.add(limit.endpoint());
      Meter meter = meters.computeIfAbsent(limit.endpoint(), none -> newMeter(limit));
      meter.setRate(limit.bitsPerSecond(), scheduler.now());
      SourceMeters port = ports.computeIfAbsent(limit.port(), none -> new SourceMeters());
      for (IpAddress ip : limit.ips()) {
        port.bySource.put(addresses.endpoint(ip).number(), meter);
      }
    }
    meters.keySet().retainAll(limited);
    ports.forEach(
        (id, port) ->
            names
                .switchOf(id.datapath())
                .setPolicer((int) id.number(), port.bySource.isEmpty() ? null : port));
  }

  private static Meter newMeter(EdgeLimit limit) {
    double rate = limit.bitsPerSecond();
    return new Meter(rate, Math.max(LEAST_BURST_BITS, rate * BURST_SECONDS));
  }

  @Override
  public boolean isRefusedBy(String datapath) {
    return false;
  }

  /** The meters of a port's endpoints. */
  private static final class SourceMeters implements Policer {
    private final Map<Integer, Meter> bySource = new HashMap<>();

    @Override
    public boolean admits(Packet packet, long nowNanos) {
      Meter meter = bySource.get(packet.source);
      return meter == null || meter.admits(packet, nowNanos);
    }
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.agent;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.sluice.api.HostId;
import org.sluice.api.link.DownlinkMessage;
import org.sluice.api.link.HostObservation;
import org.sluice.api.link.PairSample;
import org.sluice.api.link.UplinkMessage;
import org.sluice.sim.event.Event;
import org.sluice.sim.event.Scheduler;
import org.sluice.sim.network.Host;
import org.sluice.sim.network.Network;
import org.sluice.sim.network.Shim;
import org.sluice.sim.packet.Packet;
import org.sluice.sim.platform.AgentConnection;
import org.sluice.sim.shim.host.Addresses;

/**
 * Reports whom a host's endpoints send to, where no law's shim does: every 50 ms at most, as agents
 * report what is not urgent. Urgent is what laws wait for alone.
 */
public final class PairReports implements AgentFunction, Shim {
  private static final long SPACING_NANOS = 50_000_000L;
  private static final long NO_PAIR = -1;

  /** What one endpoint has sent to another since the latest report. */
  private static final class Sent {
    private long packets;
    private long bytes;
  }

  private final Scheduler scheduler;
  private final HostId id;
  private final AgentConnection connection;
  private final Addresses addresses;

  /** By the numbers of source and destination. */
  private final Map<Long, Sent> sent = new LinkedHashMap<>();

  private final Event report = Event.running(this::report);
  private boolean isOpen;

  // Packets come in trains:
  private long latestPair = NO_PAIR;
  private Sent latest;

  /** Counts what passes between the host's endpoints and its NIC. */
  public PairReports(Network network, Host host, AgentConnection connection, Addresses addresses) {
    this.scheduler = network.scheduler();
    this.id = HostAgent.id(host);
    this.connection = connection;
    this.addresses = addresses;
    host.addShim(this);
  }

  @Override
  public void sessionBegan() {
    isOpen = true;
  }

  @Override
  public void sessionEnded() {
    isOpen = false;
    forget();
    scheduler.disarm(report);
  }

  private void forget() {
    sent.clear();
    latestPair = NO_PAIR;
  }

  @Override
  public void killed() {
    sessionEnded();
  }

  @Override
  public void stopped() {
    sessionEnded();
  }

  @Override
  public void received(DownlinkMessage message) {
    // Reports are not requested.
  }

  @Override
  public boolean outgoing(Packet packet) {
    if (isOpen) {
      long pair = (long) packet.source << Integer.SIZE | packet.destination;
      if (pair != latestPair) {
        latestPair = pair;
        latest = sent.computeIfAbsent(pair, none -> new Sent());
      }
      latest.packets++;
      latest.bytes += packet.ipBytes;
      if (!report.isArmed()) {
        scheduler.armIn(report, SPACING_NANOS);
      }
    }
    return true;
  }

  @Override
  public boolean incoming(Packet packet) {
    return true;
  }

  private void report() {
    List<PairSample> samples = new ArrayList<>(sent.size());
    sent.forEach(
        (pair, counts) ->
            samples.add(
                PairSample.of(
                    addresses.ip((int) (pair >> Integer.SIZE)),
                    addresses.ip(pair.intValue()),
                    counts.packets,
                    counts.bytes,
                    0,
                    0,
                    0)));
    forget();
    connection.send(
        received ->
            UplinkMessage.ofObservation(
                HostObservation.of(id, received, SPACING_NANOS, samples, List.of())));
  }
}

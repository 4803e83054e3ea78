// SPDX-License-Identifier: Apache-2.0
package org.sluice.onos.deadline;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.sluice.api.EndpointId;
import org.sluice.api.HostId;
import org.sluice.api.IpAddress;
import org.sluice.api.MacAddress;
import org.sluice.api.PortId;
import org.sluice.api.PortStatus;
import org.sluice.api.SluiceException;
import org.sluice.api.Tenant;
import org.sluice.api.TenantId;
import org.sluice.api.link.EndpointPolicy;
import org.sluice.api.link.HostHello;
import org.sluice.api.link.HostObservation;
import org.sluice.api.link.PairSample;
import org.sluice.api.link.PortQueueObservation;
import org.sluice.api.link.PortQueueSample;
import org.sluice.api.link.ReportedEndpoint;
import org.sluice.api.link.UnitShare;
import org.sluice.engine.DecisionSink;
import org.sluice.engine.Engine;
import org.sluice.engine.EngineParameters;
import org.sluice.engine.Journal;
import org.sluice.engine.NoticeDraft;
import org.sluice.engine.Path;
import org.sluice.engine.PathOracle;
import org.sluice.engine.PortAuthority;
import org.sluice.onos.registry.Capacities;
import org.sluice.onos.registry.ReportedEndpoints;
import org.sluice.onos.tenant.TenantDirectory;
import org.sluice.onos.topology.Epoch;

/**
 * The network of a rehearsal, which nobody else knows: a source, a destination, one port between
 * them, and an engine of its own.
 */
final class RehearsedNetwork implements EngineSide, ReportedEndpoints, TenantDirectory, Capacities {
  static final HostId HOST = HostId.of("rehearsal");
  static final IpAddress SOURCE = IpAddress.parse("192.0.2.1");
  static final IpAddress DESTINATION = IpAddress.parse("192.0.2.2");
  static final PortId PORT = PortId.parse("of:0000000000000001/1");

  private static final long BITS_PER_SECOND = 50_000_000;
  private static final int FRAME_BYTES = 1514;
  private static final int QUEUED_PACKETS = 30;

  private final Epoch epoch = new Epoch();
  private final ReportedEndpoint source = endpoint("source", 1, SOURCE);
  private final ReportedEndpoint destination = endpoint("destination", 2, DESTINATION);
  private final Tenant tenant = tenant();
  private final Capacity capacity =
      new Capacity(BITS_PER_SECOND, PortStatus.CapacitySource.CONFIGURED);
  private final Optional<Path> path = Optional.of(Path.of(List.of(Path.Hop.of(PORT)), false));
  private final Engine engine =
      new Engine(
          new Ways(), PortAuthority.ALL, new Nobody(), new Journal(), EngineParameters.DEFAULTS);
  private long waysEpoch;

  RehearsedNetwork() {
    engine.putPort(PORT, BITS_PER_SECOND, PortStatus.CapacitySource.CONFIGURED);
    engine.putHost(HOST, BITS_PER_SECOND);
    for (ReportedEndpoint endpoint : reported()) {
      engine.putEndpoint(
          EndpointPolicy.of(endpoint.id(), tenant.id(), tenant.weight(), 0, 0, false),
          endpoint.ips());
    }
  }

  private static ReportedEndpoint endpoint(String name, int mac, IpAddress ip) {
    MacAddress address = MacAddress.of(new byte[] {2, 0, 0, 0, 0, (byte) mac});
    return ReportedEndpoint.of(EndpointId.of(HOST, name), address, Set.of(ip));
  }

  private static Tenant tenant() {
    try {
      return Tenant.builder(TenantId.of("rehearsal")).ceilingBitsPerSecond(BITS_PER_SECOND).build();
    } catch (SluiceException e) {
      throw new IllegalStateException(e);
    }
  }

  /** How its agent introduces itself: it keeps the port's queue, too. */
  HostHello hello() {
    return HostHello.of(
        HOST,
        "rehearsal",
        "uplink",
        source.mac(),
        BITS_PER_SECOND,
        reported(),
        List.of(),
        List.of(PORT));
  }

  /** Ways are to be looked up again. */
  void changeWays() {
    waysEpoch++;
  }

  /** What of TCP's payload the port can carry in a time, bytes. */
  static long payloadBytes(long nanos) {
    return Math.round(BITS_PER_SECOND / 8.0 * FlowPaths.PAYLOAD_PART * nanos / 1e9);
  }

  /** What passes the port in a period, all of it marked, as hosts see it. */
  HostObservation marked(long nowNanos, long periodNanos) {
    long bytes = Math.round(BITS_PER_SECOND / 8.0 * periodNanos / 1e9);
    long packets = bytes / FRAME_BYTES;
    PairSample pair = PairSample.of(SOURCE, DESTINATION, packets, bytes, packets, bytes, packets);
    return HostObservation.of(HOST, nowNanos, periodNanos, List.of(pair), List.of());
  }

  /** A queue that is long. */
  PortQueueObservation queued(long nowNanos, long periodNanos) {
    PortQueueSample sample =
        PortQueueSample.of(
            PORT, 1, FRAME_BYTES, 0, 1, 0, QUEUED_PACKETS, QUEUED_PACKETS * (long) FRAME_BYTES);
    return PortQueueObservation.of(HOST, nowNanos, periodNanos, List.of(sample));
  }

  TenantId tenantId() {
    return tenant.id();
  }

  @Override
  public Engine engine() {
    return engine;
  }

  @Override
  public Optional<Path> path(EndpointId from, IpAddress to) {
    return path;
  }

  @Override
  public long waysEpoch() {
    return waysEpoch;
  }

  @Override
  public long authorityEpoch() {
    return 0;
  }

  @Override
  public boolean decidesAbout(PortId port) {
    return true;
  }

  @Override
  public void wake() {}

  @Override
  public Epoch epoch() {
    return epoch;
  }

  @Override
  public Map<HostId, Long> sessions() {
    return Map.of(HOST, 1L);
  }

  @Override
  public List<ReportedEndpoint> reported() {
    return List.of(source, destination);
  }

  @Override
  public Optional<ReportedEndpoint> holder(IpAddress ip) {
    return reported().stream().filter(endpoint -> endpoint.ips().contains(ip)).findFirst();
  }

  @Override
  public Tenant tenantOf(ReportedEndpoint endpoint) {
    return tenant;
  }

  @Override
  public Map<PortId, Capacity> all() {
    return Map.of(PORT, capacity);
  }

  @Override
  public Optional<Capacity> capacity(PortId port) {
    return Optional.ofNullable(all().get(port));
  }

  /** The one way there is. */
  private final class Ways implements PathOracle {
    @Override
    public long epoch() {
      return waysEpoch;
    }

    @Override
    public Optional<Path> path(EndpointId from, IpAddress to) {
      return path;
    }
  }

  /** No host acts on what the engine decides. */
  private static final class Nobody implements DecisionSink {
    @Override
    public void unitShare(HostId host, UnitShare share) {}

    @Override
    public void notice(HostId host, NoticeDraft notice) {}
  }
}

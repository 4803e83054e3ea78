// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.deadline;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.sluice.api.HostId;
import org.sluice.api.IpAddress;
import org.sluice.api.PortId;
import org.sluice.api.deadline.FlowKey;
import org.sluice.api.link.ReportedEndpoint;
import org.sluice.api.why.FlowPort;
import org.sluice.engine.deadline.Deadlines;
import org.sluice.engine.deadline.FlowPathOracle;
import org.sluice.engine.path.Path;

/**
 * The paths of flows as far as deadlines are concerned: what bounds the source itself, its tenant's
 * ceiling and its host's NIC, then the switch ports; each made known to {@link Deadlines}. Where
 * switches spread over several ports, a flow counts at each. Engine thread only.
 */
final class FlowPaths implements FlowPathOracle {
  private static final String CEILING_PREFIX = "endpoint:";
  private static final String NIC_PREFIX = "host:";

  private final DeadlineContext context;
  private final Deadlines deadlines;
  private final Nics nics;
  private final Set<PortId> watched = new HashSet<>();
  private final Map<PortId, Long> known = new HashMap<>();

  /** What hosts' NICs can carry. */
  interface Nics {
    /** bit/s; 0 if it is not known. */
    long capacityBitsPerSecond(HostId host);

    /** Grows whenever one may be another. */
    long epoch();
  }

  FlowPaths(DeadlineContext context, Deadlines deadlines, Nics nics) {
    this.context = context;
    this.deadlines = deadlines;
    this.nics = nics;
  }

  /** Grows whenever a path, or what a port of it carries, may be another. */
  long epoch() {
    return context.paths.epoch()
        + context.endpoints.epoch().get()
        + context.capacities.epoch().get()
        + context.tenants.epoch().get()
        + nics.epoch();
  }

  /** Takes over changed capacities of ports that flows cross. */
  void follow() {
    watched.forEach(this::putPort);
  }

  /** The path of a flow; empty if its source is no known endpoint or the path is not known. */
  @Override
  public Optional<List<PortId>> path(FlowKey flow) {
    return context
        .endpoints
        .holder(flow.source())
        .flatMap(source -> path(source, flow.destination()));
  }

  private Optional<List<PortId>> path(ReportedEndpoint source, IpAddress destination) {
    Optional<Path> switches = context.paths.path(source.id(), destination);
    if (switches.isEmpty()) {
      return Optional.empty();
    }
    List<PortId> path = new ArrayList<>();
    own(
        CEILING_PREFIX + source.id(),
        context.tenants.tenantOf(source).ceilingBitsPerSecond(),
        path);
    own(NIC_PREFIX + source.id().host(), nics.capacityBitsPerSecond(source.id().host()), path);
    for (Path.Hop hop : switches.get().hops()) {
      if (hop.port().isReceiver()) {
        continue; // What an endpoint may receive is not promised to anybody.
      }
      if (watched.add(hop.port())) {
        putPort(hop.port());
      }
      path.add(hop.port());
    }
    return Optional.of(path);
  }

  /** What bounds a flow at a port of its path. */
  static FlowPort.Kind kindOf(PortId port) {
    if (port.datapath().startsWith(CEILING_PREFIX)) {
      return FlowPort.Kind.CEILING;
    }
    return port.datapath().startsWith(NIC_PREFIX) ? FlowPort.Kind.NIC : FlowPort.Kind.PORT;
  }

  /** Something of the source's own that bounds it as a port would, but has no queue. */
  private void own(String name, long bitsPerSecond, List<PortId> path) {
    if (bitsPerSecond > 0) {
      PortId port = PortId.of(name, 0);
      putPort(port, bitsPerSecond);
      deadlines.setGoverned(port, false);
      path.add(port);
    }
  }

  private void putPort(PortId port) {
    context
        .capacities
        .capacity(port)
        .ifPresent(capacity -> putPort(port, capacity.bitsPerSecond()));
  }

  private void putPort(PortId port, long bitsPerSecond) {
    Long before = known.put(port, bitsPerSecond);
    if (before == null || before != bitsPerSecond) {
      deadlines.putPort(
          port,
          PortProfile.payloadBytesPerSecond(bitsPerSecond),
          PortProfile.thresholdBytes(bitsPerSecond),
          PortProfile.ROUND_TRIP_NANOS);
    }
  }

  /** K of a port, bytes of payload. */
  long thresholdOf(PortId port) {
    return PortProfile.thresholdBytes(known.getOrDefault(port, 0L));
  }

  /** What a port can carry, bit/s; 0 if it is not known. */
  long capacityOf(PortId port) {
    return known.getOrDefault(port, 0L);
  }

  /** The switch ports that flows cross. */
  Set<PortId> watched() {
    return watched;
  }
}

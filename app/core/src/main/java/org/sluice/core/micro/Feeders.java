// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.micro;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import org.sluice.api.PortId;
import org.sluice.engine.micro.MicroFlowControl;
import org.sluice.engine.path.Path;

/**
 * The ports and feeders that the engine knows, by the numbers that it has given them. Engine thread
 * only.
 */
final class Feeders {
  private final MicroFlowControl control;
  private final Map<PortId, Watched> watched = new TreeMap<>();

  /** By upstream, then by downstream port. */
  private final Map<PortId, Map<PortId, Feeder>> feeders = new HashMap<>();

  private Map<PortId, PortId> peers = Map.of();
  private final Map<Path, Route> known = new HashMap<>();
  private long version;

  /** A port with its numbers. */
  static final class Watched {
    final DownstreamPort port;
    final int number;

    final List<Feeder> feeders;

    /** As its agent reports it, in the agent's present session, or as it is estimated. */
    MicroQueue queue;

    /** When guarantees were evaluated for the last time, ns. */
    long floorsNanos = Long.MIN_VALUE;

    Watched(DownstreamPort port, int number, List<Feeder> feeders) {
      this.port = port;
      this.number = number;
      this.feeders = feeders;
    }
  }

  Feeders(MicroFlowControl control) {
    this.control = control;
  }

  /** Takes over another topology: what is as it was keeps its caps. */
  void follow(
      Map<PortId, DownstreamPort> wanted,
      Map<PortId, PortId> links,
      Function<PortId, MicroQueue> queues) {
    peers = links;
    for (Iterator<Watched> all = watched.values().iterator(); all.hasNext(); ) {
      Watched one = all.next();
      if (!one.port.equals(wanted.get(one.port.id()))) {
        all.remove();
        one.feeders.forEach(feeder -> feeders.get(feeder.upstream).remove(one.port.id()));
        control.removePort(one.number);
      }
    }
    feeders.values().removeIf(Map::isEmpty);
    wanted.values().stream().filter(port -> !watched.containsKey(port.id())).forEach(this::add);
    watched.forEach((port, one) -> one.queue = queues.apply(port));
    forgetPaths();
  }

  private void add(DownstreamPort port) {
    int number =
        control.addPort(
            port.id(), port.bandwidthBitsPerSecond(), port.bufferPackets(), port.switchPorts());
    List<Feeder> own = new ArrayList<>();
    for (DownstreamPort.Upstream upstream : port.upstream()) {
      int feederNumber =
          control.addFeeder(
              number, upstream.port(), upstream.bandwidthBitsPerSecond(), upstream.bufferPackets());
      Feeder feeder = new Feeder(upstream.port(), port.id(), feederNumber);
      feeders.computeIfAbsent(upstream.port(), p -> new HashMap<>()).put(port.id(), feeder);
      own.add(feeder);
    }
    watched.put(port.id(), new Watched(port, number, own));
  }

  /** Flows may have other paths than before. */
  void forgetPaths() {
    known.clear();
    version++;
  }

  /** Grows whenever {@link #on} may answer otherwise. */
  long version() {
    return version;
  }

  /** By id. */
  Collection<Watched> ports() {
    return watched.values();
  }

  Watched find(PortId port) {
    return watched.get(port);
  }

  /**
   * The feeders on a path. Where an upstream switch spreads over several ports a flow counts at
   * each of them; where the next one does, at none: what goes there waits in the last level's own
   * queue.
   */
  Route on(Path path) {
    return known.computeIfAbsent(path, this::search);
  }

  private Route search(Path path) {
    List<Feeder> found = new ArrayList<>();
    for (Path.Hop hop : path.hops()) {
      PortId peer = peers.get(hop.port());
      Map<PortId, Feeder> own = feeders.get(hop.port());
      PortId next = peer == null || own == null ? null : onlyPort(path, peer.datapath());
      if (next != null && own.containsKey(next)) {
        found.add(own.get(next));
      }
    }
    return found.isEmpty() ? Route.NONE : new Route(found);
  }

  private static PortId onlyPort(Path path, String datapath) {
    PortId found = null;
    for (Path.Hop hop : path.hops()) {
      if (hop.port().datapath().equals(datapath)) {
        if (found != null) {
          return null;
        }
        found = hop.port();
      }
    }
    return found;
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.fairness;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.sluice.sim.fairness.FairnessCase.EndpointPlan;
import org.sluice.sim.network.Port;
import org.sluice.sim.transport.Flow;

/**
 * Hosts whose loops are always at rest: at a full port everybody is held in proportion to weight
 * times unit share as they were published, never under the floor that was, and the ceiling; the
 * factor is the same for all, and such that the port is full. What light ones leave, and what other
 * ports hold back, so goes to all others in proportion. An endpoint divides what it has at a port
 * equally among its flows there. No packets, no queues, no delay.
 */
final class IdealHosts {
  /** The port counts as full from this part on. */
  private static final double FULL = 1 - 1e-6;

  private static final int BISECTIONS = 50;

  /** What was published for an endpoint at a port. */
  record Limit(double weight, double floorBitsPerSecond) {}

  private final CaseNetwork network;
  private final List<Stream> streams = new ArrayList<>();
  private final Map<Port, List<Sender>> ports = new LinkedHashMap<>();
  private final Map<Flow, Stream> byFlow = new HashMap<>();

  /** A flow. */
  private static final class Stream {
    final EndpointPlan plan;
    final List<Port> path;

    /** What each port leaves to it, bit/s. */
    final double[] parts;

    boolean isOn;

    Stream(EndpointPlan plan, List<Port> path) {
      this.plan = plan;
      this.path = path;
      this.parts = new double[path.size() + 1];
      Arrays.fill(parts, Double.POSITIVE_INFINITY);
    }

    double wanted(int butHop) {
      double least = isOn ? plan.wantedMegabits() * 1e6 : 0;
      for (int hop = 0; hop < parts.length; hop++) {
        least = hop == butHop ? least : Math.min(least, parts[hop]);
      }
      return least;
    }
  }

  /** An endpoint at a port. */
  private static final class Sender {
    final int endpoint;
    final List<Stream> streams = new ArrayList<>();
    final List<Integer> hops = new ArrayList<>();
    Limit limit;
    double wanted;

    Sender(int endpoint, Limit limit) {
      this.endpoint = endpoint;
      this.limit = limit;
    }

    void update() {
      wanted = 0;
      for (int i = 0; i < streams.size(); i++) {
        wanted += streams.get(i).wanted(hops.get(i));
      }
    }

    double granted(double factor) {
      return Math.max(limit.floorBitsPerSecond(), limit.weight() * factor);
    }

    void divide(double bitsPerSecond) {
      double[] wants = new double[streams.size()];
      for (int i = 0; i < wants.length; i++) {
        wants[i] = streams.get(i).wanted(hops.get(i));
      }
      double level = equalLevel(bitsPerSecond, wants);
      for (int i = 0; i < wants.length; i++) {
        streams.get(i).parts[hops.get(i)] = level;
      }
    }
  }

  IdealHosts(CaseNetwork network) {
    this.network = network;
    for (int i = 0; i < network.endpoints.size(); i++) {
      EndpointPlan plan = network.drawn.endpoints().get(i);
      for (Flow flow : network.flows.get(i)) {
        Stream stream = new Stream(plan, network.path(flow));
        streams.add(stream);
        byFlow.put(flow, stream);
        for (int hop = 0; hop < stream.path.size(); hop++) {
          join(stream.path.get(hop), i, stream, hop);
        }
      }
    }
  }

  private void join(Port port, int endpoint, Stream stream, int hop) {
    List<Sender> senders = ports.computeIfAbsent(port, none -> new ArrayList<>());
    Sender last = senders.isEmpty() ? null : senders.get(senders.size() - 1);
    if (last == null || last.endpoint != endpoint) {
      last = new Sender(endpoint, unpublished(endpoint));
      senders.add(last);
    }
    last.streams.add(stream);
    last.hops.add(hop);
  }

  /** Until the controller has said something, what the host knows of the endpoint's profile. */
  private Limit unpublished(int endpoint) {
    EndpointPlan plan = network.drawn.endpoints().get(endpoint);
    return new Limit(plan.weight(), 0);
  }

  /** What was published for an endpoint at a port; null: control of the port has ended. */
  void publish(Port port, int endpoint, Limit limit) {
    for (Sender sender : ports.get(port)) {
      if (sender.endpoint == endpoint) {
        sender.limit = limit == null ? unpublished(endpoint) : limit;
      }
    }
  }

  void setPhase(int phase) {
    streams.forEach(stream -> stream.isOn = stream.plan.sendsIn(phase));
  }

  /** Goes on towards rates that suit all ports. */
  void settle() {
    streams.forEach(stream -> stream.parts[stream.path.size()] = Double.POSITIVE_INFINITY);
    for (int i = 0; i < network.endpoints.size(); i++) {
      holdAtCeiling(i);
    }
    ports.forEach((port, senders) -> fill(port.rateBitsPerSecond(), senders));
  }

  private void holdAtCeiling(int endpoint) {
    double ceiling = network.drawn.ceilingAtHost(network.drawn.endpoints().get(endpoint)) * 1e6;
    if (ceiling > 0) {
      List<Stream> own = network.flows.get(endpoint).stream().map(byFlow::get).toList();
      double[] wants = own.stream().mapToDouble(each -> each.wanted(each.path.size())).toArray();
      double level = equalLevel(ceiling, wants);
      own.forEach(each -> each.parts[each.path.size()] = level);
    }
  }

  private static void fill(double capacity, List<Sender> senders) {
    double wanted = 0;
    double high = 0;
    double used = 0;
    for (Sender sender : senders) {
      sender.update();
      wanted += sender.wanted;
      high = Math.max(high, capacity / sender.limit.weight());
      used = Math.max(used, sender.wanted / sender.limit.weight());
    }
    if (wanted <= capacity) {
      // Where that is just full somebody may be held here that another port holds because of it.
      double factor = wanted >= FULL * capacity ? used : 0;
      double left = capacity - wanted;
      senders.forEach(
          sender -> sender.divide(Math.max(sender.wanted + left, sender.granted(factor))));
      return;
    }
    double low = 0;
    for (int step = 0; step < BISECTIONS; step++) {
      double factor = (low + high) / 2;
      double sum = 0;
      for (Sender sender : senders) {
        sum += Math.min(sender.wanted, sender.granted(factor));
      }
      if (sum > capacity) {
        high = factor;
      } else {
        low = factor;
      }
    }
    for (Sender sender : senders) {
      sender.divide(sender.granted(high));
    }
  }

  /** The most that each of some may have of something that is divided equally. */
  private static double equalLevel(double all, double[] wants) {
    double[] sorted = wants.clone();
    Arrays.sort(sorted);
    double left = all;
    for (int i = 0; i < sorted.length; i++) {
      double level = left / (sorted.length - i);
      if (sorted[i] > level) {
        return level;
      }
      left -= sorted[i];
    }
    // Whoever demands most could have what is left, too.
    return sorted[sorted.length - 1] + left;
  }

  /** What a flow sends, bit/s. */
  double rate(Flow flow) {
    return byFlow.get(flow).wanted(-1);
  }

  /** Whether a port is full, and so marks. */
  boolean isFull(Port port) {
    double passing = 0;
    for (Sender sender : ports.get(port)) {
      for (Stream stream : sender.streams) {
        passing += stream.wanted(-1);
      }
    }
    return passing >= FULL * port.rateBitsPerSecond();
  }

  Iterable<Port> ports() {
    return ports.keySet();
  }
}

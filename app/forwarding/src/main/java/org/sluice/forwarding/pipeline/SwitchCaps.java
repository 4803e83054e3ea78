// SPDX-License-Identifier: Apache-2.0
package org.sluice.forwarding.pipeline;

import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.mapping;
import static java.util.stream.Collectors.toList;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.sluice.api.IpAddress;
import org.sluice.api.PortId;
import org.sluice.core.runtime.Execution;
import org.sluice.core.spi.CapMeter;
import org.sluice.core.spi.CapMeters;
import org.sluice.forwarding.frame.Addresses;
import org.sluice.forwarding.spi.MeterTable;
import org.sluice.forwarding.spi.Rule;

/**
 * Holds back in switches what long flows send towards ports where short ones wait: a rule above the
 * route of each destination leads packets of the last level through the meter of their way on.
 *
 * <p>A meter belongs to a rule, and a rule of a destination that several ports share cannot
 * distinguish them. There nothing is held back, nor where the next switch spreads a destination
 * over several ports: other ports' traffic would pay for one.
 *
 * <p>Rules and meters on {@link Forwarding}'s thread, for switches whose master this node is, while
 * Sluice forwards.
 */
public final class SwitchCaps implements CapMeters {
  private final CapMeterTable table;
  private final CapRates rates;
  private volatile Consumer<Set<String>> listener = datapaths -> {};

  /** What is wanted, without rates. */
  private volatile Map<String, List<CapMeter>> wanted = Map.of();

  private final Map<String, Set<PortPair>> outOfReach = new ConcurrentHashMap<>();

  /** None yet. */
  public SwitchCaps(MeterTable meters, Execution execution) {
    table = new CapMeterTable(meters, execution.clock()::nanoTime);
    rates = new CapRates(meters, execution);
  }

  /** Lets everything through as far as switches can be reached, and ends. */
  public void stop() {
    rates.stop();
  }

  @Override
  public void set(Collection<CapMeter> all) {
    Map<PortPair, Long> bitsPerSecond = new HashMap<>();
    all.forEach(meter -> bitsPerSecond.put(PortPair.of(meter), meter.bitsPerSecond()));
    rates.want(Map.copyOf(bitsPerSecond));
    Map<String, List<CapMeter>> now =
        all.stream()
            .collect(
                groupingBy(
                    meter -> meter.upstream().datapath(),
                    mapping(SwitchCaps::withoutRate, toList())));
    Map<String, List<CapMeter>> before = wanted;
    Set<String> changed = new HashSet<>(before.keySet());
    changed.addAll(now.keySet());
    changed.removeIf(datapath -> Objects.equals(now.get(datapath), before.get(datapath)));
    if (!changed.isEmpty()) {
      wanted = now;
      listener.accept(changed);
    }
  }

  private static CapMeter withoutRate(CapMeter meter) {
    return CapMeter.of(
        meter.upstream(),
        meter.downstream(),
        meter.dscp(),
        meter.destinations(),
        CapMeter.UNLIMITED);
  }

  @Override
  public boolean isRefusedBy(String datapath) {
    return table.isRefusedBy(datapath) || rates.isRefusedBy(datapath);
  }

  @Override
  public boolean isOutOfReach(PortId upstream, PortId downstream) {
    String datapath = upstream.datapath();
    return rates.isRefusedBy(datapath)
        || outOfReach.getOrDefault(datapath, Set.of()).contains(PortPair.of(upstream, downstream));
  }

  /** Receives switches whose rules are to change. */
  void setListener(Consumer<Set<String>> to) {
    listener = to;
  }

  /** The rules of a switch, beside its routes; sees to their meters as well. */
  List<Rule> rules(String datapath, CapRoutes routes) {
    List<CapMeter> here = wanted.getOrDefault(datapath, List.of());
    Map<CapMeter, List<IpAddress>> enforceable = enforceable(datapath, here, routes);
    Set<PortPair> pairs = new HashSet<>();
    enforceable.keySet().forEach(meter -> pairs.add(PortPair.of(meter)));
    CapMeterTable.Standing standing = table.ensure(datapath, pairs);
    rates.stand(datapath, standing);
    noteOutOfReach(datapath, here, pairs, standing.without());
    List<Rule> rules = new ArrayList<>();
    enforceable.forEach(
        (meter, addresses) -> {
          Long id = standing.usable().get(PortPair.of(meter));
          if (id != null) {
            long out = meter.upstream().number();
            addresses.forEach(ip -> rules.add(Pipeline.cap(datapath, ip, meter.dscp(), id, out)));
          }
        });
    return rules;
  }

  private void noteOutOfReach(
      String datapath, List<CapMeter> all, Set<PortPair> enforceable, Set<PortPair> without) {
    Set<PortPair> found = new HashSet<>(without);
    for (CapMeter meter : all) {
      PortPair pair = PortPair.of(meter);
      if (!enforceable.contains(pair)) {
        found.add(pair);
      }
    }
    if (found.isEmpty()) {
      outOfReach.remove(datapath);
    } else {
      outOfReach.put(datapath, found);
    }
  }

  /** Meters with those of their destinations that a switch sends by their upstream port alone. */
  private static Map<CapMeter, List<IpAddress>> enforceable(
      String datapath, List<CapMeter> meters, CapRoutes routes) {
    Map<IpAddress, CapMeter> only = new HashMap<>();
    Set<IpAddress> several = new HashSet<>();
    for (CapMeter meter : meters) {
      Optional<Long> out = Optional.of(meter.upstream().number());
      for (IpAddress ip : meter.destinations()) {
        boolean isHere = Addresses.isRoutable(ip) && routes.onlyPort(datapath, ip).equals(out);
        if (isHere && only.put(ip, meter) != null) {
          several.add(ip);
        }
      }
    }
    only.keySet().removeAll(several);
    Map<CapMeter, List<IpAddress>> enforceable = new HashMap<>();
    only.forEach((ip, meter) -> enforceable.computeIfAbsent(meter, m -> new ArrayList<>()).add(ip));
    return enforceable;
  }

  /** Whether there will be more to do soon that nobody announces. */
  boolean takeWaiting() {
    return table.takeWaiting();
  }

  /** The switch came, or came back. */
  void returned(String datapath) {
    table.returned(datapath);
  }

  /** The switch went away. */
  void forget(String datapath) {
    table.forget(datapath);
    end(datapath);
  }

  /** The switch is another node's. */
  void lose(String datapath) {
    table.lose(datapath);
    end(datapath);
  }

  /** Takes back all meters of a switch, whose rules are gone. */
  void removeAll(String datapath) {
    table.removeAll(datapath);
    end(datapath);
  }

  private void end(String datapath) {
    rates.lose(datapath);
    outOfReach.remove(datapath);
  }
}

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
  private final CapRenewals renewals;
  private volatile Consumer<Set<String>> listener = datapaths -> {};

  /** What is wanted, without rates. */
  private volatile Map<String, List<CapMeter>> wanted = Map.of();

  private volatile Map<PortPair, Long> wantedBitsPerSecond = Map.of();

  private final Map<String, Set<PortPair>> outOfReach = new ConcurrentHashMap<>();

  /** None yet. */
  public SwitchCaps(MeterTable meters, Execution execution) {
    table = new CapMeterTable(meters, execution.clock()::nanoTime);
    rates = new CapRates(meters, execution, datapath -> listener.accept(Set.of(datapath)));
    renewals = new CapRenewals(meters, execution.clock()::nanoTime);
  }

  /** Lets everything through as far as switches can be reached, and ends. */
  public void stop() {
    rates.stop();
  }

  @Override
  public void set(Collection<CapMeter> all) {
    Map<PortPair, Long> bitsPerSecond = new HashMap<>();
    all.forEach(meter -> bitsPerSecond.put(PortPair.of(meter), meter.bitsPerSecond()));
    Map<PortPair, Long> ratesBefore = wantedBitsPerSecond;
    wantedBitsPerSecond = Map.copyOf(bitsPerSecond);
    rates.want(wantedBitsPerSecond);
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
    bitsPerSecond.forEach(
        (pair, rate) -> {
          String datapath = pair.upstream().datapath();
          if (rates.isRefusedBy(datapath) && !rate.equals(ratesBefore.get(pair))) {
            changed.add(datapath);
          }
        });
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
    return table.isRefusedBy(datapath) || renewals.isRefusedBy(datapath);
  }

  @Override
  public boolean isOutOfReach(PortId upstream, PortId downstream) {
    return outOfReach
        .getOrDefault(upstream.datapath(), Set.of())
        .contains(PortPair.of(upstream, downstream));
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
    Map<PortPair, Long> usable = meters(datapath, here, pairs);
    List<Rule> rules = new ArrayList<>();
    enforceable.forEach(
        (meter, addresses) -> {
          Long id = usable.get(PortPair.of(meter));
          if (id != null) {
            long out = meter.upstream().number();
            addresses.forEach(ip -> rules.add(Pipeline.cap(datapath, ip, meter.dscp(), id, out)));
          }
        });
    return rules;
  }

  /** Those that rules may use, by pair: one that changes where it is, or one for its rate. */
  private Map<PortPair, Long> meters(String datapath, List<CapMeter> here, Set<PortPair> pairs) {
    boolean renews = rates.isRefusedBy(datapath);
    CapMeterTable.Standing standing = table.ensure(datapath, renews ? Set.of() : pairs);
    rates.stand(datapath, standing);
    Map<PortPair, Long> held = new HashMap<>();
    if (renews) {
      held.putAll(wantedBitsPerSecond);
      held.keySet().retainAll(pairs);
      held.values().removeIf(rate -> rate == CapMeter.UNLIMITED);
    }
    Map<PortPair, Long> renewed = renewals.ensure(datapath, held);
    noteOutOfReach(datapath, here, pairs, renews ? renewals.without(datapath) : standing.without());
    return renews ? renewed : standing.usable();
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
    boolean isTableWaiting = table.takeWaiting();
    boolean areRenewalsWaiting = renewals.takeWaiting();
    return isTableWaiting || areRenewalsWaiting;
  }

  /** The switch came, or came back. */
  void returned(String datapath) {
    table.returned(datapath);
    renewals.returned(datapath);
  }

  /** The switch went away. */
  void forget(String datapath) {
    table.forget(datapath);
    renewals.forget(datapath);
    end(datapath);
  }

  /** The switch is another node's. */
  void lose(String datapath) {
    table.lose(datapath);
    renewals.lose(datapath);
    end(datapath);
  }

  /** Takes back all meters of a switch, whose rules are gone. */
  void removeAll(String datapath) {
    table.removeAll(datapath);
    renewals.removeAll(datapath);
    end(datapath);
  }

  private void end(String datapath) {
    rates.lose(datapath);
    outOfReach.remove(datapath);
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.sluice.onos.forwarding;

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
import java.util.function.LongSupplier;
import org.onlab.packet.IpAddress;
import org.onosproject.net.DeviceId;
import org.onosproject.net.PortNumber;
import org.onosproject.net.flow.FlowRule;
import org.onosproject.net.meter.MeterId;
import org.onosproject.net.meter.MeterService;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Deactivate;
import org.osgi.service.component.annotations.Reference;
import org.sluice.api.PortId;
import org.sluice.core.spi.CapMeter;
import org.sluice.core.spi.CapMeters;
import org.sluice.onos.SluiceApplication;
import org.sluice.onos.openflow.MeterRates;
import org.sluice.onos.topology.OnosTypes;

/**
 * Holds back in switches what long flows send towards ports where short ones wait: a rule above the
 * route of each destination leads packets of the last level through the meter of their way on.
 *
 * <p>A meter belongs to a rule, and a rule of a destination that several ports share cannot
 * distinguish them. There nothing is held back, nor where the next switch spreads a destination
 * over several ports: other ports' traffic would pay for one.
 */
@Component(
    immediate = true,
    service = {CapMeters.class, CapRules.class})
public class SwitchCaps implements CapMeters, CapRules {
  private final LongSupplier clockNanos;

  @Reference SluiceApplication application;
  @Reference MeterService meters;
  @Reference MeterRates meterRates;

  private Pipeline pipeline;
  private CapMeterTable table;
  private CapRates rates;
  private volatile Consumer<Set<DeviceId>> listener = devices -> {};

  /** What is wanted, without rates. */
  private volatile Map<DeviceId, List<CapMeter>> wanted = Map.of();

  private final Map<DeviceId, Set<PortPair>> outOfReach = new ConcurrentHashMap<>();

  public SwitchCaps() {
    this(System::nanoTime);
  }

  /** With another clock, for tests. */
  public SwitchCaps(LongSupplier clockNanos) {
    this.clockNanos = clockNanos;
  }

  @Activate
  void activate() {
    pipeline = new Pipeline(application.id());
    table = new CapMeterTable(meters, application.id(), clockNanos);
    rates = new CapRates(meterRates, clockNanos);
  }

  @Deactivate
  void deactivate() {
    rates.stop();
  }

  @Override
  public void set(Collection<CapMeter> all) {
    Map<PortPair, Long> bitsPerSecond = new HashMap<>();
    all.forEach(meter -> bitsPerSecond.put(PortPair.of(meter), meter.bitsPerSecond()));
    rates.want(Map.copyOf(bitsPerSecond));
    Map<DeviceId, List<CapMeter>> now =
        all.stream()
            .collect(
                groupingBy(
                    meter -> DeviceId.deviceId(meter.upstream().datapath()),
                    mapping(SwitchCaps::withoutRate, toList())));
    Map<DeviceId, List<CapMeter>> before = wanted;
    Set<DeviceId> changed = new HashSet<>(before.keySet());
    changed.addAll(now.keySet());
    changed.removeIf(device -> Objects.equals(now.get(device), before.get(device)));
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
    DeviceId device = DeviceId.deviceId(datapath);
    return table.isRefusedBy(device) || rates.isRefusedBy(device);
  }

  @Override
  public boolean isOutOfReach(PortId upstream, PortId downstream) {
    DeviceId device = DeviceId.deviceId(upstream.datapath());
    return rates.isRefusedBy(device)
        || outOfReach.getOrDefault(device, Set.of()).contains(PortPair.of(upstream, downstream));
  }

  @Override
  public void setListener(Consumer<Set<DeviceId>> to) {
    listener = to;
  }

  @Override
  public List<FlowRule> rules(DeviceId device, CapRoutes routes) {
    List<CapMeter> here = wanted.getOrDefault(device, List.of());
    Map<CapMeter, List<IpAddress>> enforceable = enforceable(device, here, routes);
    Set<PortPair> pairs = new HashSet<>();
    enforceable.keySet().forEach(meter -> pairs.add(PortPair.of(meter)));
    CapMeterTable.Standing standing = table.ensure(device, pairs);
    rates.stand(device, standing);
    noteOutOfReach(device, here, pairs, standing.without());
    List<FlowRule> rules = new ArrayList<>();
    enforceable.forEach(
        (meter, addresses) -> {
          MeterId id = standing.usable().get(PortPair.of(meter));
          if (id != null) {
            PortNumber out = PortNumber.portNumber(meter.upstream().number());
            addresses.forEach(
                ip -> rules.add(pipeline.cap(device, ip, (byte) meter.dscp(), id, out)));
          }
        });
    return rules;
  }

  private void noteOutOfReach(
      DeviceId device, List<CapMeter> all, Set<PortPair> enforceable, Set<PortPair> without) {
    Set<PortPair> found = new HashSet<>(without);
    for (CapMeter meter : all) {
      PortPair pair = PortPair.of(meter);
      if (!enforceable.contains(pair)) {
        found.add(pair);
      }
    }
    if (found.isEmpty()) {
      outOfReach.remove(device);
    } else {
      outOfReach.put(device, found);
    }
  }

  /** Meters with those of their destinations that a switch sends by their upstream port alone. */
  private static Map<CapMeter, List<IpAddress>> enforceable(
      DeviceId device, List<CapMeter> meters, CapRoutes routes) {
    Map<IpAddress, CapMeter> only = new HashMap<>();
    Set<IpAddress> several = new HashSet<>();
    for (CapMeter meter : meters) {
      Optional<PortNumber> out = Optional.of(PortNumber.portNumber(meter.upstream().number()));
      for (org.sluice.api.IpAddress destination : meter.destinations()) {
        IpAddress ip = OnosTypes.ip(destination);
        boolean isHere = OnosTypes.isRoutable(ip) && routes.onlyPort(device, ip).equals(out);
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

  @Override
  public boolean takeWaiting() {
    return table.takeWaiting();
  }

  @Override
  public void returned(DeviceId device) {
    table.returned(device);
  }

  @Override
  public void forget(DeviceId device) {
    table.forget(device);
    end(device);
  }

  @Override
  public void lose(DeviceId device) {
    table.lose(device);
    end(device);
  }

  @Override
  public void removeAll(DeviceId device) {
    table.removeAll(device);
    end(device);
  }

  private void end(DeviceId device) {
    rates.lose(device);
    outOfReach.remove(device);
  }
}

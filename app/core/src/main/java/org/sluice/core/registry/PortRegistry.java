// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.registry;

import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.sluice.api.PortId;
import org.sluice.api.PortStatus.CapacitySource;
import org.sluice.core.spi.Epoch;
import org.sluice.core.spi.OperatorConfiguration;
import org.sluice.core.spi.SwitchPort;
import org.sluice.core.spi.Switches;

/** Follows switch ports: their capacity as configured, else as the switch reports it. */
public final class PortRegistry implements Capacities {
  private static final Logger log = LoggerFactory.getLogger(PortRegistry.class);

  private final Switches switches;
  private final OperatorConfiguration configuration;
  private final Epoch epoch = new Epoch();
  private final Runnable refresh = this::refresh;
  private final Set<PortId> unknown = new HashSet<>();
  private volatile Map<PortId, Capacity> capacities = Map.of();
  private volatile Map<PortId, String> names = Map.of();

  public PortRegistry(Switches switches, OperatorConfiguration configuration) {
    this.switches = switches;
    this.configuration = configuration;
  }

  public void start() {
    switches.epoch().addListener(refresh);
    configuration.epoch().addListener(refresh);
    refresh();
  }

  public void stop() {
    configuration.epoch().removeListener(refresh);
    switches.epoch().removeListener(refresh);
  }

  @Override
  public Epoch epoch() {
    return epoch;
  }

  @Override
  public Map<PortId, Capacity> all() {
    return capacities;
  }

  @Override
  public Optional<Capacity> capacity(PortId port) {
    return Optional.ofNullable(capacities.get(port));
  }

  /** What the platform calls a port; empty where it has no name. */
  public Optional<String> name(PortId port) {
    return Optional.ofNullable(names.get(port));
  }

  private synchronized void refresh() {
    Map<PortId, Long> configured = configuration.capacitiesBitsPerSecond();
    Map<PortId, Capacity> now = new TreeMap<>();
    Map<PortId, String> named = new TreeMap<>();
    for (String datapath : switches.connected()) {
      for (SwitchPort port : switches.ports(datapath)) {
        add(port, configured.get(port.id()), now);
        port.name().ifPresent(name -> named.put(port.id(), name));
      }
    }
    names = Map.copyOf(named);
    if (!now.equals(capacities)) {
      capacities = Map.copyOf(now);
      epoch.advance();
    }
  }

  private void add(SwitchPort port, Long configured, Map<PortId, Capacity> to) {
    if (configured != null) {
      to.put(port.id(), new Capacity(configured, CapacitySource.CONFIGURED));
    } else if (port.speedBitsPerSecond() > 0) {
      to.put(port.id(), new Capacity(port.speedBitsPerSecond(), CapacitySource.SWITCH));
    } else if (unknown.add(port.id())) {
      log.warn(
          "Port {} does not report its speed and is not controlled: configure its capacityMbps",
          port.id());
    }
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.sluice.onos.registry;

import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.onosproject.net.ConnectPoint;
import org.onosproject.net.Device;
import org.onosproject.net.Port;
import org.onosproject.net.device.DeviceEvent;
import org.onosproject.net.device.DeviceListener;
import org.onosproject.net.device.DeviceService;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Deactivate;
import org.osgi.service.component.annotations.Reference;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.sluice.api.PortId;
import org.sluice.api.PortStatus.CapacitySource;
import org.sluice.onos.config.ConfiguredCapacities;
import org.sluice.onos.topology.Epoch;
import org.sluice.onos.topology.OnosTypes;

/** Follows switch ports: as configured, else as fast as ONOS says they are. */
@Component(immediate = true, service = Capacities.class)
public class PortRegistry implements Capacities {
  private static final Logger log = LoggerFactory.getLogger(PortRegistry.class);
  private static final long BITS_PER_MEGABIT = 1_000_000;

  @Reference DeviceService devices;
  @Reference ConfiguredCapacities configured;

  private final Epoch epoch = new Epoch();
  private final DeviceListener deviceListener = this::deviceChanged;
  private final Runnable configListener = this::refresh;
  private final Set<PortId> unknown = new HashSet<>();
  private volatile Map<PortId, Capacity> capacities = Map.of();

  @Activate
  void activate() {
    devices.addListener(deviceListener);
    configured.epoch().addListener(configListener);
    refresh();
  }

  @Deactivate
  void deactivate() {
    configured.epoch().removeListener(configListener);
    devices.removeListener(deviceListener);
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

  private void deviceChanged(DeviceEvent event) {
    if (event.type() != DeviceEvent.Type.PORT_STATS_UPDATED) {
      refresh();
    }
  }

  private synchronized void refresh() {
    Map<PortId, Long> chosen = configured.capacitiesBitsPerSecond();
    Map<PortId, Capacity> now = new TreeMap<>();
    for (Device device : devices.getAvailableDevices()) {
      for (Port port : devices.getPorts(device.id())) {
        if (port.isEnabled() && !port.number().isLogical()) {
          PortId id = OnosTypes.port(new ConnectPoint(device.id(), port.number()));
          add(id, chosen.get(id), port.portSpeed() * BITS_PER_MEGABIT, now);
        }
      }
    }
    if (!now.equals(capacities)) {
      capacities = Map.copyOf(now);
      epoch.advance();
    }
  }

  private void add(PortId id, Long chosen, long speedBitsPerSecond, Map<PortId, Capacity> to) {
    if (chosen != null) {
      to.put(id, new Capacity(chosen, CapacitySource.CONFIGURED));
    } else if (speedBitsPerSecond > 0) {
      to.put(id, new Capacity(speedBitsPerSecond, CapacitySource.SWITCH));
    } else if (unknown.add(id)) {
      log.warn(
          "Port {} does not say how fast it is and is left alone: configure its capacityMbps", id);
    }
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.sluice.onos.platform;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.onosproject.net.ConnectPoint;
import org.onosproject.net.Device;
import org.onosproject.net.DeviceId;
import org.onosproject.net.Port;
import org.onosproject.net.device.DeviceEvent;
import org.onosproject.net.device.DeviceListener;
import org.onosproject.net.device.DeviceService;
import org.sluice.core.spi.Epoch;
import org.sluice.core.spi.SwitchPort;
import org.sluice.core.spi.Switches;
import org.sluice.onos.topology.OnosTypes;

/** Switches as ONOS's device service has them. */
final class OnosSwitches implements Switches {
  private static final long BITS_PER_MEGABIT = 1_000_000;

  private final DeviceService devices;
  private final Epoch epoch = new Epoch();
  private final DeviceListener listener = this::changed;

  OnosSwitches(DeviceService devices) {
    this.devices = devices;
  }

  void start() {
    devices.addListener(listener);
  }

  void stop() {
    devices.removeListener(listener);
  }

  private void changed(DeviceEvent event) {
    if (event.type() != DeviceEvent.Type.PORT_STATS_UPDATED) {
      epoch.advance();
    }
  }

  @Override
  public Epoch epoch() {
    return epoch;
  }

  @Override
  public Collection<String> connected() {
    List<String> connected = new ArrayList<>();
    for (Device device : devices.getAvailableDevices()) {
      connected.add(device.id().toString());
    }
    return connected;
  }

  @Override
  public boolean isConnected(String datapath) {
    return devices.isAvailable(DeviceId.deviceId(datapath));
  }

  @Override
  public Collection<SwitchPort> ports(String datapath) {
    DeviceId device = DeviceId.deviceId(datapath);
    List<SwitchPort> ports = new ArrayList<>();
    for (Port port : devices.getPorts(device)) {
      if (port.isEnabled() && !port.number().isLogical()) {
        ports.add(
            SwitchPort.of(
                OnosTypes.port(new ConnectPoint(device, port.number())),
                port.portSpeed() * BITS_PER_MEGABIT));
      }
    }
    return ports;
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.sluice.onos.platform;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.onosproject.net.AnnotationKeys;
import org.onosproject.net.ConnectPoint;
import org.onosproject.net.Device;
import org.onosproject.net.DeviceId;
import org.onosproject.net.Port;
import org.onosproject.net.PortNumber;
import org.onosproject.net.device.DeviceEvent;
import org.onosproject.net.device.DeviceService;
import org.sluice.api.PortId;
import org.sluice.core.spi.Epoch;
import org.sluice.core.spi.SwitchPort;
import org.sluice.core.spi.Switches;

/** Switches as ONOS's device service has them. */
final class OnosSwitches implements Switches {
  private static final long BITS_PER_MEGABIT = 1_000_000;

  private static final List<String> NAMES =
      List.of(AnnotationKeys.NAME, AnnotationKeys.DATAPATH_DESCRIPTION);

  /** What Open vSwitch describes itself by where nobody has. */
  private static final String NO_DESCRIPTION = "None";

  private final DeviceService devices;
  private final Epoch epoch = new Epoch();

  OnosSwitches(DeviceService devices) {
    this.devices = devices;
  }

  void changed(DeviceEvent event) {
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
  public Collection<String> known() {
    List<String> known = new ArrayList<>();
    for (Device device : devices.getDevices()) {
      known.add(device.id().toString());
    }
    return known;
  }

  /** As an operator configured it, else as the switch describes itself. */
  @Override
  public String name(String datapath) {
    Device device = devices.getDevice(DeviceId.deviceId(datapath));
    if (device != null) {
      for (String key : NAMES) {
        String name = device.annotations().value(key);
        if (name != null && !name.isBlank() && !name.equals(NO_DESCRIPTION)) {
          return name.strip();
        }
      }
    }
    return datapath;
  }

  @Override
  public boolean isConnected(String datapath) {
    return devices.isAvailable(DeviceId.deviceId(datapath));
  }

  @Override
  public Collection<SwitchPort> ports(String datapath) {
    DeviceId device = DeviceId.deviceId(datapath);
    String known = name(datapath);
    String switchName = known.equals(datapath) ? "" : known;
    List<SwitchPort> ports = new ArrayList<>();
    for (Port port : devices.getPorts(device)) {
      if (port.isEnabled() && !port.number().isLogical()) {
        SwitchPort found =
            SwitchPort.of(
                OnosTypes.port(new ConnectPoint(device, port.number())),
                port.portSpeed() * BITS_PER_MEGABIT);
        String portName = portName(port);
        ports.add(
            switchName.isEmpty() && portName.isEmpty()
                ? found
                : found.named(name(switchName, portName, port.number())));
      }
    }
    return ports;
  }

  @Override
  public boolean hasPort(PortId port) {
    DeviceId device;
    try {
      device = DeviceId.deviceId(port.datapath());
    } catch (IllegalArgumentException e) {
      return false; // no URI, and so no switch's name in ONOS
    }
    return devices.getPort(device, PortNumber.portNumber(port.number())) != null;
  }

  /** Empty where the switch has not given one. */
  private static String portName(Port port) {
    String name = port.annotations().value(AnnotationKeys.PORT_NAME);
    return name == null ? "" : name.strip();
  }

  private static String name(String switchName, String portName, PortNumber number) {
    String name = portName.isEmpty() ? String.valueOf(number.toLong()) : portName;
    return switchName.isEmpty() ? name : switchName + ":" + name;
  }
}

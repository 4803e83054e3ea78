// SPDX-License-Identifier: Apache-2.0
package org.sluice.cli;

import java.util.Set;
import java.util.TreeSet;
import org.onosproject.net.AnnotationKeys;
import org.onosproject.net.Device;
import org.onosproject.net.Port;
import org.onosproject.net.PortNumber;
import org.onosproject.net.device.DeviceService;

/** The bridges of the switches that are connected: Open vSwitch names its local port so. */
final class Bridges {
  private final Set<String> names = new TreeSet<>();
  private boolean complete = true;

  private Bridges() {}

  static Bridges of(DeviceService devices) {
    Bridges found = new Bridges();
    for (Device device : devices.getAvailableDevices()) {
      Port local = devices.getPort(device.id(), PortNumber.LOCAL);
      String name = local == null ? null : local.annotations().value(AnnotationKeys.PORT_NAME);
      if (name == null || name.isBlank()) {
        found.complete = false;
      } else {
        found.names.add(name.strip());
      }
    }
    return found;
  }

  Set<String> names() {
    return names;
  }

  /** Whether a switch that is connected has this bridge, or may have it. */
  boolean mayBe(String name) {
    return names.contains(name) || !complete || names.isEmpty();
  }
}

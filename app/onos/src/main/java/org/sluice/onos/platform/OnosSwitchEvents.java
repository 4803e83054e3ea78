// SPDX-License-Identifier: Apache-2.0
package org.sluice.onos.platform;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.onosproject.mastership.MastershipEvent;
import org.onosproject.net.device.DeviceEvent;
import org.onosproject.net.device.DeviceService;
import org.sluice.forwarding.spi.SwitchEvents;

/** Events of ONOS's device and mastership services. */
final class OnosSwitchEvents implements SwitchEvents {
  private final DeviceService devices;
  private final List<Listener> listeners = new CopyOnWriteArrayList<>();

  OnosSwitchEvents(DeviceService devices) {
    this.devices = devices;
  }

  void deviceChanged(DeviceEvent event) {
    String datapath = event.subject().id().toString();
    switch (event.type()) {
      case DEVICE_ADDED:
      case DEVICE_AVAILABILITY_CHANGED:
        if (devices.isAvailable(event.subject().id())) {
          listeners.forEach(listener -> listener.returned(datapath));
        } else {
          listeners.forEach(listener -> listener.gone(datapath));
        }
        break;
      case DEVICE_REMOVED:
      case DEVICE_SUSPENDED:
        listeners.forEach(listener -> listener.gone(datapath));
        break;
      default:
        break;
    }
  }

  /**
   * A change of backups changes nothing in the switch, such as the end of an old master's channel.
   */
  void mastershipChanged(MastershipEvent event) {
    if (event.type() == MastershipEvent.Type.MASTER_CHANGED) {
      listeners.forEach(listener -> listener.masterChanged(event.subject().toString()));
    }
  }

  @Override
  public void addListener(Listener listener) {
    listeners.add(listener);
  }

  @Override
  public void removeListener(Listener listener) {
    listeners.remove(listener);
  }
}

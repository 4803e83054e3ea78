// SPDX-License-Identifier: Apache-2.0
package org.sluice.cli;

import java.util.stream.Stream;
import org.apache.karaf.shell.api.action.lifecycle.Service;
import org.onosproject.net.device.DeviceService;
import org.sluice.api.access.Caller;

/** Completes bridges of switches that are connected. */
@Service
public final class BridgeCompleter extends KnownCompleter<DeviceService> {
  public BridgeCompleter() {
    super(DeviceService.class);
  }

  @Override
  Stream<?> known(DeviceService devices, Caller caller) {
    return Bridges.of(devices).names().stream();
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.sluice.onos.counters;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.onosproject.net.DeviceId;
import org.onosproject.net.device.DeviceService;
import org.onosproject.net.device.PortStatistics;
import org.sluice.api.PortId;
import org.sluice.api.counters.PortSample;

/** What ONOS itself has read of a switch's ports, every few seconds. */
final class SlowCounters {
  private SlowCounters() {}

  /** What went through the ports between ONOS's last two readings. */
  static List<PortSample> read(DeviceService devices, DeviceId device) {
    List<PortSample> samples = new ArrayList<>();
    for (PortStatistics delta : devices.getPortDeltaStatistics(device)) {
      long intervalNanos = TimeUnit.SECONDS.toNanos(delta.durationSec()) + delta.durationNano();
      boolean sane =
          intervalNanos > 0
              && delta.bytesReceived() >= 0
              && delta.bytesSent() >= 0
              && delta.packetsReceived() >= 0
              && delta.packetsSent() >= 0
              && !delta.portNumber().isLogical();
      if (sane) {
        samples.add(
            PortSample.builder(PortId.of(device.toString(), delta.portNumber().toLong()))
                .rxPackets(delta.packetsReceived())
                .rxBytes(delta.bytesReceived())
                .txPackets(delta.packetsSent())
                .txBytes(delta.bytesSent())
                .intervalNanos(intervalNanos)
                .build());
      }
    }
    return samples;
  }
}

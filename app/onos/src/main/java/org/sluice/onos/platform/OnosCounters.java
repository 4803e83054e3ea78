// SPDX-License-Identifier: Apache-2.0
package org.sluice.onos.platform;

import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.onosproject.net.DeviceId;
import org.onosproject.net.device.DeviceEvent;
import org.onosproject.net.device.DeviceService;
import org.onosproject.net.device.PortStatistics;
import org.sluice.api.PortId;
import org.sluice.api.counters.CounterListener;
import org.sluice.api.counters.PortSample;
import org.sluice.core.spi.PlatformCounters;

/**
 * What ONOS itself reads of switches' ports, every few seconds, and the meters of Sluice's rules.
 */
final class OnosCounters implements PlatformCounters {
  private final DeviceService devices;
  private final Function<String, Map<Long, Long>> markMeters;
  private final List<CounterListener> listeners = new CopyOnWriteArrayList<>();

  OnosCounters(DeviceService devices, Function<String, Map<Long, Long>> markMeters) {
    this.devices = devices;
    this.markMeters = markMeters;
  }

  void changed(DeviceEvent event) {
    if (event.type() == DeviceEvent.Type.PORT_STATS_UPDATED && !listeners.isEmpty()) {
      DeviceId device = event.subject().id();
      for (PortStatistics delta : devices.getPortDeltaStatistics(device)) {
        if (isSane(delta)) {
          PortSample sample = sample(device, delta);
          listeners.forEach(listener -> listener.portRead(sample));
        }
      }
    }
  }

  private static long intervalNanos(PortStatistics delta) {
    return TimeUnit.SECONDS.toNanos(delta.durationSec()) + delta.durationNano();
  }

  private static boolean isSane(PortStatistics delta) {
    return intervalNanos(delta) > 0
        && delta.bytesReceived() >= 0
        && delta.bytesSent() >= 0
        && delta.packetsReceived() >= 0
        && delta.packetsSent() >= 0
        && !delta.portNumber().isLogical();
  }

  /** What went through a port between ONOS's last two readings. */
  private static PortSample sample(DeviceId device, PortStatistics delta) {
    return PortSample.builder(PortId.of(device.toString(), delta.portNumber().toLong()))
        .rxPackets(delta.packetsReceived())
        .rxBytes(delta.bytesReceived())
        .txPackets(delta.packetsSent())
        .txBytes(delta.bytesSent())
        .txDroppedPackets(Math.max(PortSample.NOT_COUNTED, delta.packetsTxDropped()))
        .intervalNanos(intervalNanos(delta))
        .build();
  }

  @Override
  public Map<Long, Long> markMeters(String datapath) {
    return markMeters.apply(datapath);
  }

  @Override
  public void addListener(CounterListener listener) {
    listeners.add(listener);
  }

  @Override
  public void removeListener(CounterListener listener) {
    listeners.remove(listener);
  }
}

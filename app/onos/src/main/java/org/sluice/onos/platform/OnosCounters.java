// SPDX-License-Identifier: Apache-2.0
package org.sluice.onos.platform;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.onosproject.core.ApplicationId;
import org.onosproject.net.DeviceId;
import org.onosproject.net.device.DeviceEvent;
import org.onosproject.net.device.DeviceListener;
import org.onosproject.net.device.DeviceService;
import org.onosproject.net.device.PortStatistics;
import org.onosproject.net.flow.FlowEntry;
import org.onosproject.net.flow.FlowRuleService;
import org.onosproject.net.flow.criteria.Criterion;
import org.onosproject.net.flow.criteria.PortCriterion;
import org.onosproject.net.flow.instructions.Instructions;
import org.sluice.api.PortId;
import org.sluice.api.counters.CounterListener;
import org.sluice.api.counters.PortSample;
import org.sluice.core.spi.PlatformCounters;

/**
 * What ONOS itself reads of switches' ports, every few seconds, and the meters of Sluice's rules.
 */
final class OnosCounters implements PlatformCounters {
  private final ApplicationId application;
  private final DeviceService devices;
  private final FlowRuleService flows;
  private final List<CounterListener> listeners = new CopyOnWriteArrayList<>();
  private final DeviceListener deviceListener = this::changed;

  OnosCounters(ApplicationId application, DeviceService devices, FlowRuleService flows) {
    this.application = application;
    this.devices = devices;
    this.flows = flows;
  }

  void start() {
    devices.addListener(deviceListener);
  }

  void stop() {
    devices.removeListener(deviceListener);
  }

  private void changed(DeviceEvent event) {
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
    Map<Long, Long> meters = new HashMap<>();
    for (FlowEntry entry : flows.getFlowEntries(DeviceId.deviceId(datapath))) {
      Criterion port = entry.selector().getCriterion(Criterion.Type.IN_PORT);
      if (entry.appId() == application.id()
          && port != null
          && entry.selector().getCriterion(Criterion.Type.IP_ECN) != null) {
        for (Instructions.MeterInstruction meter : entry.treatment().meters()) {
          meters.put(meter.meterId().id(), ((PortCriterion) port).port().toLong());
        }
      }
    }
    return meters;
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

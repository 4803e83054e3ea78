// SPDX-License-Identifier: Apache-2.0
package org.sluice.onos.platform;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.onosproject.net.DefaultDevice;
import org.onosproject.net.Device;
import org.onosproject.net.DeviceId;
import org.onosproject.net.PortNumber;
import org.onosproject.net.device.DefaultPortStatistics;
import org.onosproject.net.device.DeviceEvent;
import org.onosproject.net.device.DeviceServiceAdapter;
import org.onosproject.net.device.PortStatistics;
import org.onosproject.net.provider.ProviderId;
import org.sluice.api.PortId;
import org.sluice.api.counters.CounterListener;
import org.sluice.api.counters.MeterSample;
import org.sluice.api.counters.PortSample;

class OnosCountersTest {
  private static final String S1 = "of:0000000000000001";
  private static final DeviceId DEVICE = DeviceId.deviceId(S1);

  private final Devices devices = new Devices();
  private final OnosCounters counters = new OnosCounters(devices, datapath -> Map.of());
  private final List<PortSample> read = new ArrayList<>();
  private final CounterListener listener =
      new CounterListener() {
        @Override
        public void portRead(PortSample sample) {
          read.add(sample);
        }

        @Override
        public void meterRead(MeterSample sample) {}
      };

  private static final class Devices extends DeviceServiceAdapter {
    private final List<PortStatistics> deltas = new ArrayList<>();

    @Override
    public List<PortStatistics> getPortDeltaStatistics(DeviceId id) {
      return deltas;
    }
  }

  private void report(DeviceEvent.Type type) {
    Device device =
        new DefaultDevice(
            new ProviderId("of", "test"), DEVICE, Device.Type.SWITCH, "", "", "", "", null);
    counters.changed(new DeviceEvent(type, device));
  }

  private static PortStatistics statistics(long port, long count, long durationSeconds) {
    return DefaultPortStatistics.builder()
        .setDeviceId(DEVICE)
        .setPort(PortNumber.portNumber(port))
        .setPacketsReceived(count)
        .setBytesReceived(count)
        .setPacketsSent(count)
        .setBytesSent(count)
        .setPacketsTxDropped(count / 10)
        .setDurationSec(durationSeconds)
        .build();
  }

  @Test
  void countersPolledByOnosBecomeSamples() {
    devices.deltas.add(statistics(5, 1000, 5));
    devices.deltas.add(statistics(6, -1, 5));
    devices.deltas.add(statistics(7, 1000, 0));
    counters.addListener(listener);

    report(DeviceEvent.Type.PORT_UPDATED);
    assertThat(read).isEmpty();
    report(DeviceEvent.Type.PORT_STATS_UPDATED);

    assertThat(read).hasSize(1);
    assertThat(read.get(0).port()).isEqualTo(PortId.of(S1, 5));
    assertThat(read.get(0).rxBytes()).isEqualTo(1000);
    assertThat(read.get(0).txDroppedPackets()).isEqualTo(100);
    assertThat(read.get(0).intervalNanos()).isEqualTo(5_000_000_000L);
  }

  @Test
  void removedListenerGetsNothing() {
    devices.deltas.add(statistics(5, 1000, 5));
    counters.addListener(listener);
    counters.removeListener(listener);
    report(DeviceEvent.Type.PORT_STATS_UPDATED);
    assertThat(read).isEmpty();
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.onlab.packet.ChassisId;
import org.onosproject.net.AnnotationKeys;
import org.onosproject.net.DefaultAnnotations;
import org.onosproject.net.DefaultDevice;
import org.onosproject.net.DefaultPort;
import org.onosproject.net.Device;
import org.onosproject.net.DeviceId;
import org.onosproject.net.Port;
import org.onosproject.net.PortNumber;
import org.onosproject.net.device.DeviceService;
import org.onosproject.net.provider.ProviderId;

class BridgesTest {
  private final Map<DeviceId, Port> locals = new LinkedHashMap<>();
  private final List<Device> devices = new ArrayList<>();

  private void connect(int number, String bridge) {
    DeviceId id = DeviceId.deviceId("of:000000000000000" + number);
    Device device =
        new DefaultDevice(
            ProviderId.NONE, id, Device.Type.SWITCH, "", "", "", "", new ChassisId(number));
    devices.add(device);
    if (bridge != null) {
      DefaultAnnotations name =
          DefaultAnnotations.builder().set(AnnotationKeys.PORT_NAME, bridge).build();
      locals.put(id, new DefaultPort(device, PortNumber.LOCAL, true, name));
    }
  }

  private Bridges bridges() {
    DeviceService service =
        (DeviceService)
            Proxy.newProxyInstance(
                DeviceService.class.getClassLoader(),
                new Class<?>[] {DeviceService.class},
                (proxy, method, arguments) ->
                    method.getName().equals("getPort") ? locals.get(arguments[0]) : devices);
    return Bridges.of(service);
  }

  @Test
  void bridgeOfNoConnectedSwitchIsRejected() {
    connect(1, "br0");
    connect(2, "br1");
    assertThat(bridges().names()).containsExactly("br0", "br1");
    assertThat(bridges().mayBe("br1")).isTrue();
    assertThat(bridges().mayBe("br7")).isFalse();
  }

  @Test
  void anyBridgeIsAcceptedIfASwitchDoesNotReportItsName() {
    assertThat(bridges().mayBe("br7")).isTrue();
    connect(1, "br0");
    connect(2, null);
    assertThat(bridges().mayBe("br7")).isTrue();
  }
}

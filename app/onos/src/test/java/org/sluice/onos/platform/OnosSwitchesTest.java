// SPDX-License-Identifier: Apache-2.0
package org.sluice.onos.platform;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Optional;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.onlab.packet.ChassisId;
import org.onosproject.net.AnnotationKeys;
import org.onosproject.net.Annotations;
import org.onosproject.net.DefaultAnnotations;
import org.onosproject.net.DefaultDevice;
import org.onosproject.net.DefaultPort;
import org.onosproject.net.Device;
import org.onosproject.net.DeviceId;
import org.onosproject.net.Port;
import org.onosproject.net.PortNumber;
import org.onosproject.net.device.DeviceServiceAdapter;
import org.onosproject.net.provider.ProviderId;
import org.sluice.api.PortId;
import org.sluice.core.spi.SwitchPort;

class OnosSwitchesTest {
  private static final DeviceId S1 = DeviceId.deviceId("of:0000000000000001");

  private static Annotations annotations(String key, String value) {
    return value == null
        ? DefaultAnnotations.EMPTY
        : DefaultAnnotations.builder().set(key, value).build();
  }

  /** Whose port 5 and itself have these names, if any. */
  private static Optional<String> name(String switchName, String portName) {
    Device device =
        new DefaultDevice(
            ProviderId.NONE,
            S1,
            Device.Type.SWITCH,
            "Sluice",
            "simulated",
            "1",
            "1",
            new ChassisId(1),
            annotations(AnnotationKeys.NAME, switchName));
    Port port =
        new DefaultPort(
            device,
            PortNumber.portNumber(5),
            true,
            Port.Type.COPPER,
            1000,
            annotations(AnnotationKeys.PORT_NAME, portName));
    OnosSwitches switches =
        new OnosSwitches(
            new DeviceServiceAdapter() {
              @Override
              public Device getDevice(DeviceId id) {
                return device;
              }

              @Override
              public List<Port> getPorts(DeviceId id) {
                return List.of(port);
              }
            });
    return switches.ports(S1.toString()).stream()
        .findFirst()
        .map(SwitchPort::name)
        .orElseThrow(() -> new AssertionError("no port"));
  }

  @ParameterizedTest
  @CsvSource({
    "leaf1, eth3, leaf1:eth3",
    ", s1-eth5, s1-eth5",
    "leaf1, , leaf1:5",
    "of:0000000000000001, eth3, eth3",
    ", ,",
    "' ', ' ',",
  })
  void portsHaveTheNamesOfOnos(String switchName, String portName, String name) {
    assertThat(name(switchName, portName)).isEqualTo(Optional.ofNullable(name));
  }

  @ParameterizedTest
  @CsvSource({
    "of:0000000000000001/5, true", // though it is down
    "of:0000000000000001/6, false",
    "of:0000000000000002/5, false",
    "[1/5, false",
  })
  void aPortThatIsDownExists(String id, boolean exists) {
    DeviceServiceAdapter devices =
        new DeviceServiceAdapter() {
          @Override
          public Port getPort(DeviceId device, PortNumber number) {
            boolean known = device.equals(S1) && number.toLong() == 5;
            return known ? new DefaultPort(null, number, false) : null;
          }
        };
    assertThat(new OnosSwitches(devices).hasPort(PortId.parse(id))).isEqualTo(exists);
  }
}

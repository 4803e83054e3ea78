// SPDX-License-Identifier: Apache-2.0
package org.sluice.onos.openflow;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.onosproject.net.DeviceId;
import org.onosproject.net.meter.MeterId;
import org.onosproject.openflow.controller.Dpid;
import org.onosproject.openflow.controller.OpenFlowController;
import org.onosproject.openflow.controller.OpenFlowEventListener;
import org.onosproject.openflow.controller.OpenFlowSwitch;
import org.onosproject.openflow.controller.RoleState;
import org.projectfloodlight.openflow.protocol.OFFactories;
import org.projectfloodlight.openflow.protocol.OFMessage;
import org.projectfloodlight.openflow.protocol.OFMeterFlags;
import org.projectfloodlight.openflow.protocol.OFMeterMod;
import org.projectfloodlight.openflow.protocol.OFMeterModCommand;
import org.projectfloodlight.openflow.protocol.OFMeterModFailedCode;
import org.projectfloodlight.openflow.protocol.OFVersion;
import org.projectfloodlight.openflow.protocol.meterband.OFMeterBand;
import org.projectfloodlight.openflow.protocol.meterband.OFMeterBandDrop;

/** Changes of meters as a switch gets them, and what comes back. */
class OpenFlowMeterRatesTest {
  private static final DeviceId DEVICE = DeviceId.deviceId("of:0000000000000001");
  private static final MeterId METER = MeterId.meterId(7);

  private final List<OFMessage> sent = new ArrayList<>();
  private final List<OpenFlowEventListener> listeners = new ArrayList<>();
  private final List<String> refusals = new ArrayList<>();
  private final OpenFlowMeterRates rates = new OpenFlowMeterRates();
  private RoleState role = RoleState.MASTER;
  private boolean isThere = true;
  private OFVersion version = OFVersion.OF_13;

  @BeforeEach
  void start() {
    rates.setRefusalListener((device, meter) -> refusals.add(device + " " + meter.id()));
    rates.bindController(controller());
    rates.activate();
  }

  private OpenFlowController controller() {
    return proxy(
        OpenFlowController.class,
        (method, arguments) -> {
          switch (method) {
            case "getSwitch":
              return isThere ? target() : null;
            case "addEventListener":
              listeners.add((OpenFlowEventListener) arguments[0]);
              return null;
            case "removeEventListener":
              listeners.remove(arguments[0]);
              return null;
            default:
              throw new UnsupportedOperationException(method);
          }
        });
  }

  private OpenFlowSwitch target() {
    return proxy(
        OpenFlowSwitch.class,
        (method, arguments) -> {
          switch (method) {
            case "isConnected":
              return true;
            case "getRole":
              return role;
            case "factory":
              return OFFactories.getFactory(version);
            case "sendMsg":
              sent.add((OFMessage) arguments[0]);
              return null;
            default:
              throw new UnsupportedOperationException(method);
          }
        });
  }

  private interface Answer {
    Object to(String method, Object[] arguments);
  }

  private static <T> T proxy(Class<T> type, Answer answer) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (self, method, arguments) -> answer.to(method.getName(), arguments)));
  }

  private boolean change() {
    return rates.change(DEVICE, METER, 20_000, 4_000);
  }

  private void refuse(OFMessage message, String datapath) {
    OFMessage error =
        OFFactories.getFactory(version)
            .errorMsgs()
            .buildMeterModFailedErrorMsg()
            .setXid(message.getXid())
            .setCode(OFMeterModFailedCode.UNKNOWN_METER)
            .build();
    listeners.forEach(listener -> listener.handleMessage(new Dpid(datapath), error));
  }

  @ParameterizedTest
  @EnumSource(
      value = OFVersion.class,
      names = {"OF_13", "OF_14", "OF_15"})
  void aMeterIsModifiedInPlace(OFVersion spoken) {
    version = spoken;
    assertThat(change()).isTrue();

    OFMeterMod message = (OFMeterMod) sent.get(0);
    assertThat(message.getCommand()).isEqualTo(OFMeterModCommand.MODIFY);
    assertThat(message.getMeterId()).isEqualTo(7);
    assertThat(message.getFlags()).containsExactlyInAnyOrder(OFMeterFlags.KBPS, OFMeterFlags.BURST);
    List<OFMeterBand> bands = spoken == OFVersion.OF_13 ? message.getMeters() : message.getBands();
    OFMeterBandDrop band = (OFMeterBandDrop) bands.get(0);
    assertThat(band.getRate()).isEqualTo(20_000);
    assertThat(band.getBurstSize()).isEqualTo(4_000);
  }

  @Test
  void onlyTheMasterChangesAConnectedSwitch() {
    role = RoleState.SLAVE;
    assertThat(change()).isFalse();
    role = RoleState.MASTER;
    isThere = false;
    assertThat(change()).isFalse();
    assertThat(sent).isEmpty();
  }

  @Test
  void errorsAreReportedOnceAndOnlyForOwnMessages() {
    change();
    change();
    assertThat(sent.get(0).getXid()).isNotEqualTo(sent.get(1).getXid());

    refuse(sent.get(1), "00:00:00:00:00:00:00:02");
    assertThat(refusals).as("of another switch").isEmpty();
    refuse(sent.get(0), "00:00:00:00:00:00:00:01");
    refuse(sent.get(0), "00:00:00:00:00:00:00:01");

    assertThat(refusals).containsExactly("of:0000000000000001 7");
  }

  @Test
  void withoutControllerNothingIsSentOrReceived() {
    rates.deactivate();
    assertThat(listeners).isEmpty();
    rates.activate();
    assertThat(listeners).hasSize(1);
    OpenFlowController other = controller();
    rates.unbindController(other);
    rates.bindController(other);
    assertThat(change()).isTrue();
  }
}

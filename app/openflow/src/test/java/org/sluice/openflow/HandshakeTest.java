// SPDX-License-Identifier: Apache-2.0
package org.sluice.openflow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.projectfloodlight.openflow.protocol.OFControllerRole;
import org.projectfloodlight.openflow.protocol.OFFeaturesRequest;
import org.projectfloodlight.openflow.protocol.OFHello;
import org.projectfloodlight.openflow.protocol.OFMessage;
import org.projectfloodlight.openflow.protocol.OFRoleRequest;
import org.projectfloodlight.openflow.types.U64;

class HandshakeTest {
  private final Handshake handshake = new Handshake(new Xids());

  private OFMessage one(OFMessage received) throws ProtocolFault {
    List<OFMessage> answer = handshake.received(SwitchMessages.frame(received));
    assertThat(answer).hasSize(1);
    return answer.get(0);
  }

  private OFRoleRequest afterHello() throws ProtocolFault {
    assertThat(handshake.begin()).isInstanceOf(OFHello.class);
    return (OFRoleRequest) one(Messages.hello(1));
  }

  @ParameterizedTest
  @ValueSource(longs = {0, 1, 7, -1, Long.MIN_VALUE})
  void requestsSlaveRoleWithTheSwitchsGenerationAndThenFeatures(long generation) throws Exception {
    OFRoleRequest noChange = afterHello();
    assertThat(noChange.getRole()).isEqualTo(OFControllerRole.ROLE_NOCHANGE);

    OFRoleRequest slave =
        (OFRoleRequest)
            one(SwitchMessages.role(OFControllerRole.ROLE_EQUAL, generation, noChange.getXid()));
    assertThat(slave.getRole()).isEqualTo(OFControllerRole.ROLE_SLAVE);
    assertThat(slave.getGenerationId()).isEqualTo(U64.of(generation));

    OFMessage features =
        one(SwitchMessages.role(OFControllerRole.ROLE_SLAVE, generation, slave.getXid()));
    assertThat(features).isInstanceOf(OFFeaturesRequest.class);
    assertThat(handshake.isDone()).isFalse();

    assertThat(handshake.received(frame(SwitchMessages.features(0x2a, 0, features.getXid()))))
        .isEmpty();
    assertThat(handshake.isDone()).isTrue();
    assertThat(handshake.datapathId()).isEqualTo(0x2a);
  }

  private static Frame frame(OFMessage message) {
    return SwitchMessages.frame(message);
  }

  @Test
  void packetInsAndForeignRepliesAreIgnoredDuringHandshake() throws Exception {
    OFRoleRequest noChange = afterHello();

    assertThat(handshake.received(frame(SwitchMessages.packetIn()))).isEmpty();
    assertThat(
            handshake.received(
                frame(
                    SwitchMessages.role(OFControllerRole.ROLE_EQUAL, 5, noChange.getXid() + 1000))))
        .isEmpty();
    assertThat(handshake.received(frame(SwitchMessages.features(1, 0, 999)))).isEmpty();
    assertThat(handshake.isDone()).isFalse();
  }

  @Test
  void staleGenerationIsRequestedAgain() throws Exception {
    OFRoleRequest noChange = afterHello();
    for (int attempt = 1; attempt <= 2; attempt++) {
      OFMessage slave =
          one(SwitchMessages.role(OFControllerRole.ROLE_EQUAL, attempt, noChange.getXid()));
      noChange = (OFRoleRequest) one(SwitchMessages.roleStale(slave.getXid()));
      assertThat(noChange.getRole()).isEqualTo(OFControllerRole.ROLE_NOCHANGE);
    }
    OFMessage last = one(SwitchMessages.role(OFControllerRole.ROLE_EQUAL, 3, noChange.getXid()));

    assertThatThrownBy(() -> handshake.received(frame(SwitchMessages.roleStale(last.getXid()))))
        .isInstanceOf(ProtocolFault.class);
  }

  @Test
  void switchThatAssignsAnotherRoleIsDisconnected() throws Exception {
    OFRoleRequest noChange = afterHello();
    OFMessage slave = one(SwitchMessages.role(OFControllerRole.ROLE_EQUAL, 1, noChange.getXid()));

    assertThatThrownBy(
            () ->
                handshake.received(
                    frame(SwitchMessages.role(OFControllerRole.ROLE_MASTER, 1, slave.getXid()))))
        .isInstanceOf(ProtocolFault.class);
  }

  @Test
  void auxiliaryConnectionIsClosed() throws Exception {
    OFRoleRequest noChange = afterHello();
    OFMessage slave = one(SwitchMessages.role(OFControllerRole.ROLE_EQUAL, 1, noChange.getXid()));
    OFMessage features = one(SwitchMessages.role(OFControllerRole.ROLE_SLAVE, 1, slave.getXid()));

    assertThatThrownBy(
            () -> handshake.received(frame(SwitchMessages.features(1, 2, features.getXid()))))
        .isInstanceOf(ProtocolFault.class);
  }

  @Test
  void secondHelloIsAFault() throws Exception {
    afterHello();

    assertThatThrownBy(() -> handshake.received(frame(Messages.hello(2))))
        .isInstanceOf(ProtocolFault.class);
  }

  @ParameterizedTest
  @CsvSource({
    "0400000800000001, true", // 1.3, no bitmap
    "0500000800000001, true", // 1.4, no bitmap
    "0100000800000001, false", // 1.0, no bitmap
    "06000010000000010001000800000010, true", // 1.5, bitmap with 1.3
    "06000010000000010001000800000042, false", // 1.5, bitmap with 1.0 and 1.5
    "0400000c0000000100ff0004, true" // an element from the future
  })
  void readsSupportedVersions(String hello, boolean possible) throws Exception {
    assertThat(Hello.allowsVersion13(new Frame(Unpooled.wrappedBuffer(bytes(hello)))))
        .isEqualTo(possible);
  }

  @ParameterizedTest
  @ValueSource(strings = {"0400000c0000000100010001", "0400000c00000001000100ff"})
  void rejectsMalformedHelloElements(String hello) {
    assertThatThrownBy(() -> Hello.allowsVersion13(new Frame(Unpooled.wrappedBuffer(bytes(hello)))))
        .isInstanceOf(ProtocolFault.class);
  }

  private static byte[] bytes(String hex) {
    return ByteBufUtil.decodeHexDump(hex);
  }
}

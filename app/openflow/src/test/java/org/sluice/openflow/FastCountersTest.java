// SPDX-License-Identifier: Apache-2.0
package org.sluice.openflow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.projectfloodlight.openflow.protocol.OFControllerRole;
import org.projectfloodlight.openflow.protocol.OFEchoReply;
import org.projectfloodlight.openflow.protocol.OFMessage;
import org.projectfloodlight.openflow.protocol.OFRoleRequest;
import org.projectfloodlight.openflow.protocol.OFType;
import org.sluice.api.PortId;
import org.sluice.api.SluiceException;
import org.sluice.api.counters.CounterTargets;
import org.sluice.api.counters.SwitchCounters;

/** The endpoint over real sockets. */
class FastCountersTest {
  private static final String S1 = "of:0000000000000001";
  private static final CounterTargets PORT_5 = CounterTargets.of(Map.of(5L, 0L), Map.of());

  private final RecordingListener listener = new RecordingListener();
  private FastCounters counters;

  @BeforeEach
  void start() throws SluiceException {
    counters = FastCounters.start(config().build(), listener);
  }

  @AfterEach
  void stop() {
    counters.close();
  }

  private static FastCountersConfig.Builder config() {
    return FastCountersConfig.builder().address("127.0.0.1").port(0);
  }

  private static void await(String what, BooleanSupplier condition) {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(8);
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime() - deadline).as(what).isNegative();
      LockSupport.parkNanos(1_000_000);
    }
  }

  @Test
  void readsASwitchEndToEnd() throws Exception {
    counters.read(S1, PORT_5);
    try (FakeSwitch s1 = FakeSwitch.connected(counters.port(), 1)) {
      for (int reading = 1; reading <= 3; reading++) {
        OFMessage request = s1.expect(OFType.STATS_REQUEST);
        s1.send(SwitchMessages.port(request.getXid(), 5, 1000L * reading, 100L * reading, false));
      }
      await("two samples", () -> listener.ports.size() == 2);

      assertThat(listener.ports.get(1).port()).isEqualTo(PortId.parse(S1 + "/5"));
      assertThat(listener.ports.get(1).rxBytes()).isEqualTo(1000);
      SwitchCounters status = counters.switches().get(0);
      assertThat(status.datapath()).isEqualTo(S1);
      assertThat(status.connected()).isTrue();
      assertThat(status.replies()).isEqualTo(3);
      assertThat(status.replyMicrosP99()).isPositive();
      assertThat(status.messageBytes()).isGreaterThan(3 * 152);
    }
    await("the end of the connection", () -> !counters.isConnected(S1));
  }

  @Test
  void usesTheSwitchsGenerationAndIgnoresPacketIns() throws Exception {
    try (FakeSwitch s1 = new FakeSwitch(counters.port())) {
      s1.expect(OFType.HELLO);
      s1.send(Messages.hello(1));
      OFRoleRequest noChange = (OFRoleRequest) s1.expect(OFType.ROLE_REQUEST);
      s1.send(SwitchMessages.packetIn());
      s1.send(SwitchMessages.role(OFControllerRole.ROLE_EQUAL, 77, noChange.getXid()));
      OFRoleRequest slave = (OFRoleRequest) s1.expect(OFType.ROLE_REQUEST);

      assertThat(noChange.getRole()).isEqualTo(OFControllerRole.ROLE_NOCHANGE);
      assertThat(slave.getRole()).isEqualTo(OFControllerRole.ROLE_SLAVE);
      assertThat(slave.getGenerationId().getValue()).isEqualTo(77);
    }
  }

  @Test
  void pollsOnlySwitchesThatGrantTheSlaveRole() throws Exception {
    counters.read(S1, PORT_5);
    try (FakeSwitch s1 = new FakeSwitch(counters.port())) {
      s1.expect(OFType.HELLO);
      s1.send(Messages.hello(1));
      OFMessage noChange = s1.expect(OFType.ROLE_REQUEST);
      s1.send(SwitchMessages.role(OFControllerRole.ROLE_EQUAL, 0, noChange.getXid()));
      OFMessage slave = s1.expect(OFType.ROLE_REQUEST);
      s1.send(SwitchMessages.role(OFControllerRole.ROLE_EQUAL, 0, slave.getXid()));

      assertThat(s1.isClosedByPeer()).isTrue();
      assertThat(counters.isConnected(S1)).isFalse();
    }
  }

  @Test
  void repliesToAndSendsEchoes() throws Exception {
    try (FakeSwitch s1 = FakeSwitch.connected(counters.port(), 1)) {
      s1.send(SwitchMessages.OF13.buildEchoRequest().setXid(9).setData(new byte[] {1, 2}).build());
      OFEchoReply reply = (OFEchoReply) s1.expect(OFType.ECHO_REPLY);
      assertThat(reply.getXid()).isEqualTo(9);
      assertThat(reply.getData()).containsExactly(1, 2);

      s1.expect(OFType.ECHO_REQUEST); // Silent for a second: is it still there?
    }
  }

  @Test
  void secondConnectionOfASwitchIsRejectedWhileTheFirstIsAlive() throws Exception {
    counters.read(S1, PORT_5);
    try (FakeSwitch first = FakeSwitch.connected(counters.port(), 1)) {
      first.expect(OFType.STATS_REQUEST); // Else the second may be the one that is there first.
      try (FakeSwitch second = FakeSwitch.connected(counters.port(), 1)) {
        assertThat(second.isClosedByPeer()).isTrue();
      }
      assertThat(counters.isConnected(S1)).isTrue();
    }
  }

  @Test
  void reconnectedSwitchIsReadAgain() throws Exception {
    counters.read(S1, PORT_5);
    for (int life = 0; life < 3; life++) {
      try (FakeSwitch s1 = FakeSwitch.connected(counters.port(), 1)) {
        s1.expect(OFType.STATS_REQUEST);
      }
      await("the end of the connection", () -> !counters.isConnected(S1));
    }
  }

  @Test
  void silentConnectionIsReplacedByANewOne() throws Exception {
    counters.read(S1, PORT_5);
    FakeSwitch silent = FakeSwitch.connected(counters.port(), 1);
    await("the first connection", () -> counters.isConnected(S1));
    try (silent) {
      long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(10);
      boolean taken = false;
      while (!taken) {
        assertThat(System.nanoTime() - deadline).as("taken over").isNegative();
        try (FakeSwitch another = FakeSwitch.connected(counters.port(), 1)) {
          another.expect(OFType.STATS_REQUEST);
          taken = true;
        } catch (IOException refused) {
          LockSupport.parkNanos(10_000_000); // Not yet: the silent one may still be alive.
        }
      }
    }
  }

  @Test
  void protocolErrorEndsOnlyItsOwnConnection() throws Exception {
    counters.read(S1, PORT_5);
    try (FakeSwitch s1 = FakeSwitch.connected(counters.port(), 1);
        FakeSwitch wrong = FakeSwitch.connected(counters.port(), 2)) {
      s1.expect(OFType.STATS_REQUEST);
      wrong.send(new byte[] {4, 19, 0, 3, 0, 0, 0, 1});

      assertThat(wrong.isClosedByPeer()).isTrue();
      assertThat(counters.isConnected(S1)).isTrue();
    }
  }

  @Test
  void silentPeerIsDisconnected() throws Exception {
    try (FakeSwitch mute = new FakeSwitch(counters.port())) {
      mute.expect(OFType.HELLO);
      mute.send(new byte[] {4});
      await("a closed connection", () -> closed(mute));
    }
  }

  private static boolean closed(FakeSwitch peer) {
    try {
      return peer.isClosedByPeer();
    } catch (Exception e) {
      return false;
    }
  }

  @Test
  void unsupportedVersionIsAnsweredByAnError() throws Exception {
    try (FakeSwitch old = new FakeSwitch(counters.port())) {
      old.expect(OFType.HELLO);
      old.send(new byte[] {1, 0, 0, 8, 0, 0, 0, 1});

      old.expect(OFType.ERROR);
      assertThat(old.isClosedByPeer()).isTrue();
    }
  }

  @Test
  @SuppressWarnings("try") // The first connection only has to be there.
  void connectionsBeyondTheLimitAreClosed() throws Exception {
    try (FastCounters narrow = FastCounters.start(config().maxConnections(1).build(), listener);
        FakeSwitch first = FakeSwitch.connected(narrow.port(), 1);
        FakeSwitch second = new FakeSwitch(narrow.port())) {
      assertThat(second.isClosedByPeer()).isTrue();
      await("the first one", () -> narrow.isConnected(S1));
    }
  }

  @Test
  void readingStartsAndStopsWhileConnected() throws Exception {
    try (FakeSwitch s1 = FakeSwitch.connected(counters.port(), 1)) {
      await("the connection", () -> counters.isConnected(S1));
      counters.read(S1, PORT_5);
      OFMessage request;
      do {
        request = s1.read();
      } while (request.getType() != OFType.STATS_REQUEST);
      counters.stopReading(S1);
      s1.send(SwitchMessages.port(request.getXid(), 5, 1, 1, false));

      s1.expect(OFType.ECHO_REQUEST); // It comes after a second without anything else.
    }
  }

  @Test
  void occupiedTcpPortIsReported() {
    assertThatThrownBy(() -> FastCounters.start(config().port(counters.port()).build(), listener))
        .isInstanceOfSatisfying(
            SluiceException.class,
            e -> {
              assertThat(e.field()).contains("fastCountersPort");
              assertThat(e.value()).isEqualTo(String.valueOf(counters.port()));
            });
  }

  @Test
  void closeEndsConnectionsAndReleasesThePort() throws Exception {
    int port = counters.port();
    try (FakeSwitch s1 = FakeSwitch.connected(port, 1)) {
      counters.close();

      assertThat(s1.isClosedByPeer()).isTrue();
    }
    FastCounters.start(config().port(port).build(), listener).close();
  }
}

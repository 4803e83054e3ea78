// SPDX-License-Identifier: Apache-2.0
package org.sluice.agentlink;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.Status;
import java.nio.file.Path;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.sluice.agentlink.proto.AgentMessage;
import org.sluice.agentlink.proto.Hello;
import org.sluice.agentlink.proto.PortObservation;
import org.sluice.agentlink.proto.PortQueueSample;
import org.sluice.api.Law;
import org.sluice.api.PortId;
import org.sluice.api.link.DownlinkMessage;
import org.sluice.api.link.HostHello;
import org.sluice.api.link.HostSettings;
import org.sluice.api.link.PortQueueObservation;

/**
 * Agents that keep the queues of switch ports: about which ports they may report, and what arrives.
 */
@Timeout(60)
class PortAgentTest {
  private static final String SWITCH = "of:0000000000000001";
  private static final String PORT = SWITCH + "/5";

  @TempDir Path directory;
  private TestLink test;
  private TestPki.Identity wire;

  @BeforeEach
  void startLink() throws Exception {
    test = new TestLink(directory);
    wire =
        test.pki.issue(
            "wire", TestPki.uri("sluice-host:wire"), TestPki.uri("sluice-switch:" + SWITCH));
  }

  @AfterEach
  void closeLink() {
    test.close();
  }

  private static AgentMessage.Builder hello(String... ports) {
    Hello.Builder hello =
        Hello.newBuilder().setProtocolVersion(1).setHost("wire").setAgentVersion("1.2.3");
    for (String port : ports) {
      hello.addSwitchPorts(port);
    }
    return AgentMessage.newBuilder().setHello(hello);
  }

  private static PortQueueSample.Builder sample() {
    return PortQueueSample.newBuilder()
        .setPort(PORT)
        .setSentPackets(40)
        .setSentBytes(60_000)
        .setMarkedPackets(3)
        .setOverThresholdPackets(7)
        .setDroppedPackets(1)
        .setBacklogPackets(9)
        .setBacklogBytes(13_500);
  }

  private static AgentMessage.Builder observation(PortQueueSample.Builder... samples) {
    PortObservation.Builder body = PortObservation.newBuilder().setIntervalNanos(5_000_000);
    for (PortQueueSample.Builder sample : samples) {
      body.addPorts(sample);
    }
    return AgentMessage.newBuilder().setPortObservation(body);
  }

  @Test
  void queueReportsArePassedOn() throws Exception {
    try (TestAgent agent = test.agent(wire)) {
      agent.send(hello(PORT, SWITCH + "/6"));
      agent.next();
      HostHello hello = test.listener.next(HostHello.class);
      assertThat(hello.switchPorts())
          .containsExactly(PortId.parse(PORT), PortId.parse(SWITCH + "/6"));
      assertThat(hello.uplink()).isEmpty();
      assertThat(hello.uplinkCapacityBitsPerSecond()).isZero();
      assertThat(hello.endpoints()).isEmpty();

      agent.send(observation(sample()));
      PortQueueObservation received = test.listener.next(PortQueueObservation.class);
      assertThat(received.host().name()).isEqualTo("wire");
      assertThat(received.intervalNanos()).isEqualTo(5_000_000);
      assertThat(received.ports())
          .containsExactly(
              org.sluice.api.link.PortQueueSample.of(
                  PortId.parse(PORT), 40, 60_000, 3, 7, 1, 9, 13_500));
    }
    assertThat(test.listener.next(String.class)).isEqualTo("disconnected wire");
  }

  /** A host reports about its own receive ports without naming them first. */
  @Test
  void phantomQueuesOfHostInterfacesArePassedOn() throws Exception {
    try (TestAgent agent = test.agent(test.h1)) {
      Hello.Builder body = TestAgent.helloBody("h1");
      body.getUplinkBuilder().setReceiveCeilingBitsPerSecond(40_000_000);
      agent.send(AgentMessage.newBuilder().setHello(body));
      agent.next();
      HostHello hello = test.listener.next(HostHello.class);
      assertThat(hello.uplinkReceiveCeilingBitsPerSecond()).isEqualTo(40_000_000);
      String own = "host:h1/" + hello.endpoints().get(0).id().interfaceName();
      String uplink = "host:h1/" + hello.uplink();

      agent.send(
          observation(
              sample().setPort(own), sample().setPort("host:h1/gone"), sample().setPort(uplink)));
      assertThat(test.listener.next(PortQueueObservation.class).ports())
          .extracting(org.sluice.api.link.PortQueueSample::port)
          .containsExactly(PortId.parse(own), PortId.parse(uplink));
      assertThat(test.listener.next(String.class)).contains("host:h1/gone");

      agent.send(observation(sample().setPort("host:h2/vm0")));
      assertThat(test.listener.next(String.class)).startsWith("refused").contains("host:h2/vm0");
    }
  }

  @Test
  void settingsAreSentToThePortAgent() throws Exception {
    try (TestAgent agent = test.agent(wire)) {
      agent.send(hello(PORT));
      agent.next();
      HostHello hello = test.listener.next(HostHello.class);
      test.server.send(
          hello.host(),
          1,
          DownlinkMessage.ofSettings(HostSettings.of(true, Law.SLUICE, 20_000, 0)));
      assertThat(agent.next().getSettings().getControlPeriodMicros()).isEqualTo(20_000);
    }
  }

  @Test
  void rejectsAPortOfASwitchMissingFromTheCertificate() throws Exception {
    try (TestAgent agent = test.agent(wire)) {
      agent.send(hello(PORT, "of:0000000000000002/1"));
      Status end = agent.end();
      assertThat(end.getCode()).isEqualTo(Status.Code.PERMISSION_DENIED);
      assertThat(end.getDescription())
          .contains("of:0000000000000002/1", SWITCH, "URI:sluice-switch:of:0000000000000002");
      assertThat(test.listener.next(String.class))
          .startsWith("refused")
          .contains("of:0000000000000002/1");
      assertThat(test.server.connectedHosts()).isEmpty();
    }
  }

  @Test
  void rejectsPortsOfAHostWithoutSwitchInItsCertificate() throws Exception {
    try (TestAgent agent = test.agent(test.h1)) {
      agent.send(
          AgentMessage.newBuilder().setHello(TestAgent.helloBody("h1").addSwitchPorts(PORT)));
      Status end = agent.end();
      assertThat(end.getCode()).isEqualTo(Status.Code.PERMISSION_DENIED);
      assertThat(end.getDescription()).contains("names no switch");
    }
  }

  @Test
  void refusesAnAgentWithoutUplinkAndPorts() throws Exception {
    try (TestAgent agent = test.agent(wire)) {
      agent.send(hello());
      assertThat(agent.end().getDescription()).contains("uplink.capacity_bits_per_second");
    }
  }

  static Stream<Arguments> badObservations() {
    return Stream.of(
        bad("did not name", s -> s.setPort(SWITCH + "/6")),
        bad("did not name", s -> s.setPort("")),
        bad("more than the 7", s -> s.setMarkedPackets(8)),
        bad("sent_packets", s -> s.setSentPackets(-1)),
        bad("sent_bytes", s -> s.setSentBytes(-1)),
        bad("marked_packets", s -> s.setMarkedPackets(-1)),
        bad("over_threshold_packets", s -> s.setOverThresholdPackets(-1)),
        bad("dropped_packets", s -> s.setDroppedPackets(-1)),
        bad("backlog_packets", s -> s.setBacklogPackets(-1)),
        bad("backlog_bytes", s -> s.setBacklogBytes(-1)));
  }

  private static Arguments bad(String named, Consumer<PortQueueSample.Builder> spoil) {
    return Arguments.of(named, spoil);
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("badObservations")
  void refusesInvalidSamples(String named, Consumer<PortQueueSample.Builder> spoil)
      throws Exception {
    try (TestAgent agent = test.agent(wire)) {
      agent.send(hello(PORT));
      agent.next();
      test.listener.next(HostHello.class);
      PortQueueSample.Builder spoilt = sample();
      spoil.accept(spoilt);
      agent.send(observation(spoilt));
      assertThat(test.listener.next(String.class)).startsWith("refused").contains(named);
      agent.send(observation(sample()));
      assertThat(test.listener.next(PortQueueObservation.class).ports()).hasSize(1);
    }
  }

  @Test
  void refusesAPortTwice() throws Exception {
    try (TestAgent agent = test.agent(wire)) {
      agent.send(hello(PORT));
      agent.next();
      test.listener.next(HostHello.class);
      agent.send(observation(sample(), sample()));
      assertThat(test.listener.next(String.class)).contains("occurs twice");
    }
    try (TestAgent agent = test.agent(wire)) {
      agent.send(hello(PORT, PORT));
      assertThat(agent.end().getDescription()).contains("malformed Hello", "occurs twice");
    }
  }
}

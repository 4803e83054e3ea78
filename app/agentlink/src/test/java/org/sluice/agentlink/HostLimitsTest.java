// SPDX-License-Identifier: Apache-2.0
package org.sluice.agentlink;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.grpc.Status;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.sluice.agentlink.proto.AgentMessage;
import org.sluice.agentlink.proto.ControllerMessage;
import org.sluice.agentlink.proto.Endpoint;
import org.sluice.agentlink.proto.Event;
import org.sluice.agentlink.proto.FlowQuery;
import org.sluice.agentlink.proto.FlowRequest;
import org.sluice.agentlink.proto.Hello;
import org.sluice.agentlink.proto.Observation;
import org.sluice.agentlink.proto.PairSample;
import org.sluice.api.HostId;
import org.sluice.api.link.DownlinkMessage;
import org.sluice.api.link.HostHello;
import org.sluice.api.link.Quarantine;

/** A host with a good certificate that reports without measure. */
class HostLimitsTest {
  private static final HostId H1 = HostId.of("h1");

  @TempDir Path directory;
  private TestLink test;

  @BeforeEach
  void start() throws Exception {
    test = new TestLink(directory);
  }

  @AfterEach
  void stop() {
    test.close();
  }

  private static Hello.Builder helloWith(int addresses) {
    Hello.Builder hello = TestAgent.helloBody("h1").clearEndpoints();
    for (int n = 0; n < addresses; n += 256) {
      Endpoint.Builder endpoint =
          Endpoint.newBuilder().setInterface("vm" + n / 256).setMac(TestAgent.MAC);
      for (int i = n; i < Math.min(addresses, n + 256); i++) {
        endpoint.addIps(TestAgent.ip(10, 1, i >> 8, i));
      }
      hello.addEndpoints(endpoint);
    }
    return hello;
  }

  private static AgentMessage.Builder event(String detail) {
    return AgentMessage.newBuilder()
        .setEvent(Event.newBuilder().setKind(Event.Kind.KIND_SPOOFED).setDetail(detail));
  }

  private Quarantine quarantine() throws Exception {
    Object next = test.listener.next(Object.class);
    while (!(next instanceof Quarantine)) {
      next = test.listener.next(Object.class);
    }
    return (Quarantine) next;
  }

  @Test
  void helloWithTooManyAddressesIsRejected() throws Exception {
    try (TestAgent agent = test.agent(test.h1)) {
      agent.send(AgentMessage.newBuilder().setHello(helloWith(65_536)));

      Status end = agent.end();
      assertThat(end.getCode()).isEqualTo(Status.Code.RESOURCE_EXHAUSTED);
      assertThat(end.getDescription()).contains("endpoints[].ips", "65536", "8192");
    }
    assertThat(quarantine()).isEqualTo(Quarantine.of(H1, reasonOfAddresses()));
    assertThat(test.server.connectedHosts()).isEmpty();

    try (TestAgent again = test.agent(test.h1)) {
      again.send(TestAgent.hello("h1"));
      assertThat(again.end().getDescription()).contains("in quarantine", " s more", "65536");
    }
  }

  private static String reasonOfAddresses() {
    return "endpoints[].ips are 65536 addresses; a host may have 8192: give its interfaces fewer,"
        + " or spread them over more hosts";
  }

  @Test
  void maximumNumberOfAddressesIsAccepted() throws Exception {
    try (TestAgent agent = test.agent(test.h1)) {
      agent.send(AgentMessage.newBuilder().setHello(helloWith(8192)));
      assertThat(agent.next().hasWelcome()).isTrue();
      assertThat(test.listener.next(HostHello.class).endpoints()).hasSize(32);
    }
  }

  @Test
  void quarantineIgnoresReportsAndKeepsTheLastDecisions() throws Exception {
    try (TestAgent agent = test.greeted()) {
      agent.send(
          AgentMessage.newBuilder()
              .setEvent(
                  Event.newBuilder()
                      .setKind(Event.Kind.KIND_ENDPOINTS_CHANGED)
                      .addAllEndpoints(helloWith(8193).getEndpointsList())));
      assertThat(quarantine().reason()).contains("8193 addresses");

      agent.send(event("ignored"));
      agent.send(
          AgentMessage.newBuilder()
              .setFlowRequest(
                  FlowRequest.newBuilder().setRequest(5).setQuery(FlowQuery.getDefaultInstance())));

      ControllerMessage answer = agent.next(ControllerMessage.BodyCase.FLOW_ANSWER);
      assertThat(answer.getFlowAnswer().getRequest()).isEqualTo(5);
      assertThat(answer.getFlowAnswer().getRefused().getDetail()).contains("in quarantine");
      assertThat(test.stats().quarantinedMessages()).isEqualTo(2);
      assertThat(test.server.connectedHosts()).containsExactly(H1);
      test.server.send(H1, 1, DownlinkMessage.ofProfiles(List.of()));
      assertThat(agent.next(ControllerMessage.BodyCase.POLICIES).hasPolicies()).isTrue();
    }
  }

  @Test
  void floodingAgentIsQuarantined() throws Exception {
    test.close();
    test = new TestLink(directory, config -> config.messagesPerSecond(20));
    try (TestAgent flood = test.greeted()) {
      for (int i = 0; i < 40; i++) {
        flood.send(event("flood"));
      }
      assertThat(quarantine().reason()).contains("more than 20 messages in a second");
    }
  }

  @Test
  void agentWithTooManyEndpointChangesIsQuarantined() throws Exception {
    try (TestAgent agent = test.greeted()) {
      for (int i = 0; i < 2 * HostLimits.ENDPOINT_LISTS_PER_SECOND; i++) {
        agent.send(
            AgentMessage.newBuilder()
                .setEvent(Event.newBuilder().setKind(Event.Kind.KIND_ENDPOINTS_CHANGED)));
      }
      assertThat(quarantine().reason()).contains("more than 20 lists of endpoints in a second");
    }
  }

  @Test
  void oversizedMessageIsNotRead() throws Exception {
    try (TestAgent agent = test.greeted()) {
      Observation.Builder large = Observation.newBuilder().setIntervalNanos(1);
      PairSample pair =
          PairSample.newBuilder()
              .setSource(ByteString.copyFrom(new byte[16]))
              .setDestination(ByteString.copyFrom(new byte[16]))
              .setSentPackets(1)
              .build();
      for (int i = 0; i < HostLimits.MESSAGE_BYTES / 40; i++) {
        large.addPairs(pair);
      }
      agent.send(AgentMessage.newBuilder().setObservation(large));
      assertThat(quarantine().reason()).contains("bytes; at most 1048576");
    }
  }

  @Test
  void concurrentCallsOfAHostAreLimited() throws Exception {
    List<TestAgent> calls = new ArrayList<>();
    try {
      for (int i = 0; i <= HostLimits.CALLS; i++) {
        calls.add(test.agent(test.h1));
      }
      Status end = null;
      for (int i = 0; end == null; i = (i + 1) % calls.size()) {
        if (calls.get(i).isEnded()) {
          end = calls.get(i).end();
        }
        LockSupport.parkNanos(1_000_000);
      }
      assertThat(end.getCode()).isEqualTo(Status.Code.RESOURCE_EXHAUSTED);
      assertThat(end.getDescription()).contains("4 calls at once");
    } finally {
      calls.forEach(TestAgent::close);
    }
  }

  @Test
  void quarantineEndsAfterTheHostKeptItsLimits() {
    long whole = HostLimits.QUARANTINE_NANOS;
    RecordingListener listener = new RecordingListener();
    HostChannel channel = new HostChannel(H1, List.of(listener));
    channel.exceeded("first", 0);
    channel.exceeded("second", whole / 2);

    channel.tick(whole);
    assertThat(channel.quarantine().reason()).contains("first");
    assertThat(channel.quarantine().secondsLeft(whole)).isEqualTo(15);
    channel.tick(whole + whole / 2);

    assertThat(channel.quarantine().reason()).isEmpty();
    assertThat(take(listener)).isEqualTo(Quarantine.of(H1, "first"));
    assertThat(take(listener)).isEqualTo(Quarantine.over(H1));
    assertThat(listener.receivedMore()).isFalse();
  }

  private static Quarantine take(RecordingListener listener) {
    try {
      return listener.next(Quarantine.class);
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void bytesAreReadAtALimitedRateAfterABurst() {
    InboundPace pace = new InboundPace(0);
    for (int i = 0; i < 16; i++) {
      pace.took(1 << 20, 0);
    }
    assertThat(pace.pauseNanos(0)).isZero();
    pace.took(1 << 20, 0);
    assertThat(pace.pauseNanos(0)).isEqualTo(62_500_000);
    assertThat(pace.pauseNanos(62_500_000)).isZero();
  }
}

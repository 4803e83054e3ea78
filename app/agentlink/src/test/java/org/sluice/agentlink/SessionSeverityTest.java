// SPDX-License-Identifier: Apache-2.0
package org.sluice.agentlink;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.Status;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.sluice.agentlink.proto.AgentMessage;
import org.sluice.agentlink.proto.Event;
import org.sluice.agentlink.proto.Observation;
import org.sluice.api.link.HostEvent;
import org.sluice.api.link.HostHello;

/** What the link puts up with, and what ends a session. */
@Timeout(60)
class SessionSeverityTest {
  @TempDir Path directory;
  private final RecordingListener listener = new RecordingListener();
  private AgentLinkServer link;
  private TestAgent agent;

  @BeforeEach
  void connect() throws Exception {
    TestPki pki = new TestPki(directory, "authority");
    TestPki.Identity server = pki.server();
    link =
        AgentLinkServer.start(
            AgentLinkConfig.builder()
                .bindAddress("127.0.0.1")
                .port(0)
                .keyFile(server.key)
                .certificateFile(server.certificate)
                .trustFile(pki.authority)
                .nodeName("node-1")
                .build());
    link.addListener(listener);
    agent = new TestAgent(link.localPort(), pki.authority, pki.host("h1"), true);
    agent.send(TestAgent.hello("h1"));
    listener.next(HostHello.class);
  }

  @AfterEach
  void close() throws Exception {
    agent.close();
    link.close();
  }

  @Test
  void keepsTheSessionAfterAMalformedMessage() throws Exception {
    agent.send(malformed());
    assertThat(listener.next(String.class))
        .isEqualTo("refused interval_nanos is 0; expected up to 10 minutes");
    agent.send(event());
    assertThat(listener.next(HostEvent.class).kind()).isEqualTo(HostEvent.Kind.LEASE_EXPIRED);
    assertThat(link.stats().get(0).refusedMessages()).isEqualTo(1);
  }

  @Test
  void ignoresAMessageWithoutBody() throws Exception {
    agent.send(AgentMessage.newBuilder());
    assertThat(listener.next(String.class)).contains("without a body");
    agent.send(event());
    listener.next(HostEvent.class);
  }

  @Test
  void ignoresAMessageThatCameBefore() throws Exception {
    agent.send(event());
    listener.next(HostEvent.class);
    agent.repeat(event());
    assertThat(listener.next(String.class)).contains("does not follow");
  }

  @Test
  void endsTheSessionAfterTooManyMalformedMessages() throws Exception {
    for (int i = 0; i < 200; i++) {
      agent.send(malformed());
    }
    Status end = agent.end();
    assertThat(end.getCode()).isEqualTo(Status.Code.INVALID_ARGUMENT);
    assertThat(end.getDescription()).contains("100 messages", "interval_nanos");
    assertThat(link.stats().get(0).refusedMessages()).isEqualTo(100);
  }

  @Test
  void endsTheSessionAtASecondHello() throws Exception {
    agent.send(TestAgent.hello("h1"));
    assertThat(agent.end().getDescription()).contains("second Hello");
  }

  @Test
  void endsTheSessionOfAnAgentThatFloods() throws Exception {
    for (int i = 0; i < 100_000 && !agent.isEnded(); i++) {
      agent.send(event());
    }
    assertThat(agent.end().getCode()).isEqualTo(Status.Code.RESOURCE_EXHAUSTED);
  }

  private static AgentMessage.Builder malformed() {
    return AgentMessage.newBuilder().setObservation(Observation.getDefaultInstance());
  }

  private static AgentMessage.Builder event() {
    return AgentMessage.newBuilder()
        .setEvent(Event.newBuilder().setKind(Event.Kind.LEASE_EXPIRED).setDetail("node-2"));
  }
}

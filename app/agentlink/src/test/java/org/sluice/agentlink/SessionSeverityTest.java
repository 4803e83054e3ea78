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
import org.sluice.agentlink.proto.EndpointSample;
import org.sluice.agentlink.proto.Event;
import org.sluice.agentlink.proto.Observation;
import org.sluice.api.link.HostEvent;
import org.sluice.api.link.HostObservation;

/** What the link puts up with, and what ends a session. */
@Timeout(60)
class SessionSeverityTest {
  @TempDir Path directory;
  private TestLink test;
  private TestAgent agent;
  private RecordingListener listener;

  @BeforeEach
  void connect() throws Exception {
    test = new TestLink(directory);
    listener = test.listener;
    agent = test.greeted();
  }

  @AfterEach
  void close() {
    agent.close();
    test.close();
  }

  @Test
  void keepsTheSessionAfterAMalformedMessage() throws Exception {
    agent.send(malformed());
    assertThat(listener.next(String.class))
        .isEqualTo("refused interval_nanos is 0; expected up to 10 minutes");
    agent.send(event());
    assertThat(listener.next(HostEvent.class).kind()).isEqualTo(HostEvent.Kind.LEASE_EXPIRED);
    assertThat(test.stats().refusedMessages()).isEqualTo(1);
  }

  @Test
  void samplesOfForeignEndpointsAreReportedOnce() throws Exception {
    for (int i = 0; i < 3; i++) {
      agent.send(
          AgentMessage.newBuilder()
              .setObservation(
                  Observation.newBuilder()
                      .setIntervalNanos(1)
                      .addEndpoints(EndpointSample.newBuilder().setInterface("vm7"))));
    }
    assertThat(listener.next(HostObservation.class).endpoints()).isEmpty();
    assertThat(listener.next(String.class)).contains("not this host's", "vm7");
    listener.next(HostObservation.class);
    listener.next(HostObservation.class);
    assertThat(test.stats().foreignSamples()).isEqualTo(3);
  }

  @Test
  void ignoresAMessageWithoutBody() throws Exception {
    agent.send(AgentMessage.newBuilder());
    assertThat(listener.next(String.class)).contains("without a body");
    agent.send(event());
    listener.next(HostEvent.class);
  }

  @Test
  void ignoresADuplicateMessage() throws Exception {
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
    assertThat(test.stats().refusedMessages()).isEqualTo(100);
  }

  @Test
  void endsTheSessionAtASecondHello() throws Exception {
    agent.send(TestAgent.hello("h1"));
    assertThat(agent.end().getDescription()).contains("second Hello");
  }

  private static AgentMessage.Builder malformed() {
    return AgentMessage.newBuilder().setObservation(Observation.getDefaultInstance());
  }

  private static AgentMessage.Builder event() {
    return AgentMessage.newBuilder()
        .setEvent(Event.newBuilder().setKind(Event.Kind.KIND_LEASE_EXPIRED).setDetail("node-2"));
  }
}

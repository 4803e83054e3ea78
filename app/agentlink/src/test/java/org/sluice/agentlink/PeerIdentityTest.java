// SPDX-License-Identifier: Apache-2.0
package org.sluice.agentlink;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.Status;
import java.nio.file.Path;
import org.bouncycastle.asn1.x509.GeneralName;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.sluice.agentlink.proto.AgentMessage;
import org.sluice.agentlink.proto.Event;

/** Which certificates identify a host, and which do not. */
@Timeout(60)
class PeerIdentityTest {
  @TempDir Path directory;
  private TestLink test;

  @BeforeEach
  void startLink() throws Exception {
    test = new TestLink(directory);
  }

  @AfterEach
  void closeLink() {
    test.close();
  }

  @Test
  void refusesAnAgentWithoutCertificate() throws Exception {
    try (TestAgent agent = test.agent(null)) {
      assertThat(agent.end().getCode()).isEqualTo(Status.Code.UNAVAILABLE);
      assertThat(test.server.connectedHosts()).isEmpty();
    }
  }

  @Test
  void refusesACertificateOfAnotherAuthority() throws Exception {
    TestPki.Identity forged = new TestPki(directory, "impostor").host("h1");
    try (TestAgent agent = test.agent(forged)) {
      assertThat(agent.end().getCode()).isEqualTo(Status.Code.UNAVAILABLE);
      assertThat(test.server.connectedHosts()).isEmpty();
    }
  }

  @Test
  void refusesACertificateThatNamesNoHost() throws Exception {
    try (TestAgent agent =
        test.agent(test.pki.issue("nobody", TestPki.uri("https://example.org/h1")))) {
      Status end = agent.end();
      assertThat(end.getCode()).isEqualTo(Status.Code.PERMISSION_DENIED);
      assertThat(end.getDescription()).contains("names 0 hosts", "URI:sluice-host:<host>");
      assertThat(test.listener.next(String.class)).startsWith("refused").contains("names 0 hosts");
      assertThat(test.server.refusals()).isEqualTo(1);
    }
  }

  @Test
  void refusesACertificateThatNamesTwoHosts() throws Exception {
    GeneralName[] two = {TestPki.uri("sluice-host:h1"), TestPki.uri("sluice-host:h2")};
    try (TestAgent agent = test.agent(test.pki.issue("both", two))) {
      assertThat(agent.end().getDescription()).contains("names 2 hosts");
    }
  }

  @Test
  void refusesAHelloForAnotherHost() throws Exception {
    try (TestAgent agent = test.agent(test.pki.host("h2"))) {
      agent.send(TestAgent.hello("h1"));
      Status end = agent.end();
      assertThat(end.getCode()).isEqualTo(Status.Code.PERMISSION_DENIED);
      assertThat(end.getDescription()).contains("'h1'", "certificate is for 'h2'");
      assertThat(test.listener.next(String.class)).contains("certificate is for 'h2'");
      assertThat(test.server.connectedHosts()).isEmpty();
    }
  }

  @Test
  void refusesAnotherProtocolVersionWithRemedy() throws Exception {
    try (TestAgent agent = test.agent(test.h1)) {
      agent.send(
          AgentMessage.newBuilder().setHello(TestAgent.helloBody("h1").setProtocolVersion(9)));
      Status end = agent.end();
      assertThat(end.getCode()).isEqualTo(Status.Code.FAILED_PRECONDITION);
      assertThat(end.getDescription()).contains("version 9", "of the same release");
    }
  }

  @Test
  void refusesASessionThatDoesNotStartWithHello() throws Exception {
    try (TestAgent agent = test.agent(test.h1)) {
      agent.send(AgentMessage.newBuilder().setEvent(Event.getDefaultInstance()));
      assertThat(agent.end().getCode()).isEqualTo(Status.Code.FAILED_PRECONDITION);
    }
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.sluice.agentlink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.grpc.Status;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.sluice.api.SluiceException;

/** Hosts whose certificates are good, and who may not connect all the same. */
class HostAccessTest {
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

  private void list(String text) throws Exception {
    Path file = directory.resolve("hosts");
    Files.writeString(file, text);
    test.server.setAccess(HostAccess.read(Optional.of(file), Optional.empty(), test.pki.authority));
  }

  private void revoke(TestPki.Identity... revoked) throws Exception {
    Path file = test.pki.revocations(revoked);
    test.server.setAccess(HostAccess.read(Optional.empty(), Optional.of(file), test.pki.authority));
  }

  private void assertEnds(TestAgent agent, String reason) throws Exception {
    Status end = agent.end();
    assertThat(end.getCode()).isEqualTo(Status.Code.PERMISSION_DENIED);
    assertThat(end.getDescription()).contains(reason);
  }

  @Test
  void hostRemovedFromTheListLosesItsSessionAndCannotReconnect() throws Exception {
    list("# all\nh1\nh2 # the second\n");
    try (TestAgent agent = test.greeted()) {
      list("h2\n");
      assertEnds(agent, "host h1 is not among those that the operator lists");
    }
    assertThat(test.server.connectedHosts()).isEmpty();
    try (TestAgent again = test.agent(test.h1)) {
      assertEnds(again, "agentLinkHosts");
    }
    test.server.setAccess(HostAccess.ALL);
    test.listener.next(Object.class); // refused
    test.listener.next(Object.class); // disconnected
    test.listener.next(Object.class); // refused
    test.greeted().close();
  }

  @Test
  void revokedCertificateIsRejectedAndAnotherOfTheSameHostIsAccepted() throws Exception {
    try (TestAgent agent = test.greeted()) {
      revoke(test.h1);
      assertEnds(agent, "the certificate of host h1 is revoked");
    }
    try (TestAgent again = test.agent(test.h1)) {
      assertEnds(again, "is revoked");
    }
    try (TestAgent renewed = test.agent(test.pki.host("h1"))) {
      renewed.send(TestAgent.hello("h1"));
      assertThat(renewed.next().hasWelcome()).isTrue();
    }
  }

  @Test
  void invalidListIsRejectedWithTheReason() throws Exception {
    Path file = directory.resolve("broken");
    Path authority = test.pki.authority;
    Files.writeString(file, "h1\nno host\n");
    assertThatThrownBy(() -> HostAccess.read(Optional.of(file), Optional.empty(), authority))
        .isInstanceOfSatisfying(
            SluiceException.class,
            e -> {
              assertThat(e.field()).contains("agentLinkHosts");
              assertThat(e.value().toString()).endsWith("broken:2");
            });
    assertThatThrownBy(() -> HostAccess.read(Optional.empty(), Optional.of(file), authority))
        .hasMessageContaining("revocation list");
    Path foreign = new TestPki(directory, "another").revocations(test.h1);
    assertThatThrownBy(() -> HostAccess.read(Optional.empty(), Optional.of(foreign), authority))
        .hasMessageContaining("None of the authorities");
    assertThatThrownBy(
            () ->
                HostAccess.read(
                    Optional.of(directory.resolve("none")), Optional.empty(), authority))
        .hasMessageContaining("no such file");
  }
}

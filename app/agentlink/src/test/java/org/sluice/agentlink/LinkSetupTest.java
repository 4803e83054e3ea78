// SPDX-License-Identifier: Apache-2.0
package org.sluice.agentlink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.sluice.api.SluiceException;
import org.sluice.api.SluiceException.Kind;

/** A link that cannot be set up names the field, the value and the remedy. */
class LinkSetupTest {
  @TempDir Path directory;
  private TestPki pki;
  private AgentLinkConfig.Builder config;

  @BeforeEach
  void goodConfiguration() {
    pki = new TestPki(directory, "authority");
    config = TestLink.config(pki);
  }

  @Test
  void refusesAMissingFile() {
    refused(config.keyFile(directory.resolve("none.key")), Kind.INVALID, "keyFile");
  }

  @Test
  void refusesACertificateFileWithoutCertificate() throws Exception {
    Path empty = Files.writeString(directory.resolve("empty.pem"), "nothing\n");
    refused(config.certificateFile(empty), Kind.INVALID, "certificateFile");
    goodConfiguration();
    refused(config.trustFile(empty), Kind.INVALID, "trustFile");
  }

  @Test
  void refusesAKeyThatDoesNotMatchTheCertificate() {
    refused(config.keyFile(pki.server().key), Kind.INVALID, "keyFile");
  }

  @Test
  void refusesAKeyFileWithoutKey() {
    refused(config.keyFile(pki.authority), Kind.INVALID, "keyFile");
  }

  @Test
  void refusesAPortThatIsTaken() throws Exception {
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))) {
      refused(config.port(taken.getLocalPort()), Kind.UNAVAILABLE, "port");
    }
  }

  @Test
  void refusesValuesOutOfRange() {
    refused(config.port(70_000), Kind.INVALID, "port");
    refused(config.port(0).leaseMillis(1), Kind.INVALID, "leaseMillis");
    refused(config.leaseMillis(5000).nodeName(""), Kind.INVALID, "nodeName");
    refused(config.nodeName("n").bindAddress("here"), Kind.INVALID, "bindAddress");
  }

  private static void refused(AgentLinkConfig.Builder config, Kind kind, String field) {
    assertThatThrownBy(() -> AgentLinkServer.start(config.build()).close())
        .isInstanceOfSatisfying(
            SluiceException.class,
            e -> {
              assertThat(e.kind()).isEqualTo(kind);
              assertThat(e.field()).contains(field);
              assertThat(e.remedy()).isNotBlank();
            });
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.sluice.agentlink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
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
  void filesAreTheSameUntilOneOfThemIsRenewed() throws Exception {
    LinkFiles first = LinkFiles.read(config.build());
    assertThat(LinkFiles.read(config.build())).isEqualTo(first);
    assertThat(first.certificateNotAfter())
        .isCloseTo(Instant.now().plusSeconds(3600), within(10, ChronoUnit.MINUTES))
        .isEqualTo(first.authorityNotAfter());

    TestPki.Identity renewed = pki.server();
    LinkFiles second =
        LinkFiles.read(config.certificateFile(renewed.certificate).keyFile(renewed.key).build());
    assertThat(second.digest()).isNotEqualTo(first.digest());
    assertThat(second.authorities()).isEqualTo(first.authorities());

    Path both = directory.resolve("both.pem");
    Path other = new TestPki(directory, "other").authority;
    Files.writeString(both, Files.readString(pki.authority) + Files.readString(other));
    LinkFiles third = LinkFiles.read(config.trustFile(both).build());
    assertThat(third.digest()).isEqualTo(second.digest());
    assertThat(third.authorities()).containsAll(second.authorities()).hasSize(2);
  }

  @Test
  void filesThatDoNotBelongTogetherAreNamed() {
    AgentLinkConfig.Builder half = config.certificateFile(pki.server().certificate);
    assertThatThrownBy(() -> LinkFiles.read(half.build()))
        .isInstanceOfSatisfying(
            SluiceException.class, e -> assertThat(e.field()).contains("keyFile"));
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

// SPDX-License-Identifier: Apache-2.0
package org.sluice.standalone.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.sluice.standalone.config.Configuration;
import org.sluice.standalone.config.ConfigurationException;

/** How the configuration names a cluster. */
class KubernetesAccessTest {
  @TempDir Path directory;

  private Optional<KubernetesAccess> read(String yaml) throws Exception {
    Path file = Files.writeString(directory.resolve("sluiced.yaml"), yaml);
    return Configuration.read(file).kubernetes();
  }

  @Test
  void aPodFindsItsOwnCluster() throws Exception {
    KubernetesAccess own = read("kubernetes: {}\n").orElseThrow();
    assertThat(own.server()).isEqualTo(URI.create("https://kubernetes.default.svc:443"));
    assertThat(own.token().orElseThrow())
        .hasToString("/var/run/secrets/kubernetes.io/serviceaccount/token");
    assertThat(own.trust().orElseThrow())
        .hasToString("/var/run/secrets/kubernetes.io/serviceaccount/ca.crt");
    assertThat(read("{}\n")).isEmpty();
  }

  @Test
  void anotherClusterHasNothingOfThePod() throws Exception {
    Path token = Files.writeString(directory.resolve("token"), "secret");
    KubernetesAccess other =
        read("kubernetes: {server: 'http://127.0.0.1:8001', token: token}\n").orElseThrow();
    assertThat(other.server()).isEqualTo(URI.create("http://127.0.0.1:8001"));
    assertThat(other.token()).contains(token);
    assertThat(other.trust()).isEmpty();
  }

  @Test
  void refusesWhatNamesNoServerAndFilesThatAreMissing() {
    for (String yaml :
        new String[] {"kubernetes: {server: cluster}\n", "kubernetes: {token: none}\n"}) {
      assertThat(catchThrowableOfType(ConfigurationException.class, () -> read(yaml)))
          .hasMessageContaining("kubernetes");
    }
  }
}

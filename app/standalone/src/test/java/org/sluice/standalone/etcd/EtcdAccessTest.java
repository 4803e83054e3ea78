// SPDX-License-Identifier: Apache-2.0
package org.sluice.standalone.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.sluice.standalone.etcd.Etcd.bytes;

import io.etcd.jetcd.Auth;
import io.etcd.jetcd.auth.Permission;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.sluice.core.runtime.SystemExecution;

/** An etcd that demands certificates and passwords. */
class EtcdAccessTest {
  @TempDir private Path directory;

  private void makeCertificate(Path certificate, Path key) throws Exception {
    Process openssl =
        new ProcessBuilder(
                "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2"
                    .concat(" -subj /CN=node -addext subjectAltName=IP:127.0.0.1")
                    .concat(" -keyout " + key + " -out " + certificate)
                    .split(" "))
            .redirectErrorStream(true)
            .redirectOutput(directory.resolve("openssl.log").toFile())
            .start();
    assertThat(openssl.waitFor()).isZero();
  }

  @Test
  void aUserWithRightsToThePrefixJoinsByCertificateAndPassword() throws Exception {
    Path certificate = directory.resolve("cert.pem");
    Path key = directory.resolve("key.pem");
    makeCertificate(certificate, key);
    try (EtcdProcess etcd =
        new EtcdProcess(
            directory,
            "https",
            "--cert-file=" + certificate,
            "--key-file=" + key,
            "--trusted-ca-file=" + certificate,
            "--client-cert-auth",
            "--bcrypt-cost=4")) {
      EtcdSettings unnamed =
          new EtcdSettings(
              List.of(etcd.endpoint()),
              Optional.of(certificate),
              Optional.of(certificate),
              Optional.of(key),
              Optional.empty(),
              Optional.empty());
      new EtcdCluster(unnamed, "first", new SystemExecution()).close();
      demandPasswords(unnamed);

      assertThatThrownBy(() -> new EtcdCluster(unnamed, "first", new SystemExecution()))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("let this node in");
      EtcdSettings named =
          new EtcdSettings(
              unnamed.endpoints(),
              unnamed.trust(),
              unnamed.certificate(),
              unnamed.key(),
              Optional.of("sluice"),
              Optional.of(Files.writeString(directory.resolve("password"), "secret\n")));
      try (EtcdCluster cluster = new EtcdCluster(named, "first", new SystemExecution())) {
        cluster.leadership().run("topic");
        EtcdClusterTest.until(() -> cluster.leadership().isLocal("topic"));
        cluster.map("tenants").put("a", "1");
        assertThat(cluster.map("tenants").entries()).containsOnlyKeys("a");
      }
    }
  }

  private static void demandPasswords(EtcdSettings settings) throws IOException {
    try (Etcd etcd = new Etcd(settings, 3000)) {
      Auth auth = etcd.client().getAuthClient();
      etcd.answer(auth.userAdd(bytes("root"), bytes("other")));
      etcd.answer(auth.roleAdd(bytes("root")));
      etcd.answer(auth.userGrantRole(bytes("root"), bytes("root")));
      etcd.answer(auth.userAdd(bytes("sluice"), bytes("secret")));
      etcd.answer(auth.roleAdd(bytes("sluice")));
      etcd.answer(
          auth.roleGrantPermission(
              bytes("sluice"), bytes("/sluice/"), bytes("/sluice0"), Permission.Type.READWRITE));
      etcd.answer(auth.userGrantRole(bytes("sluice"), bytes("sluice")));
      etcd.answer(auth.authEnable());
    }
  }
}

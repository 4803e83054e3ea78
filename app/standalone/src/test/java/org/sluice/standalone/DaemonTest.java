// SPDX-License-Identifier: Apache-2.0
package org.sluice.standalone;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.BufferedReader;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.sluice.standalone.config.Configuration;

/** The program in one process: what it serves, to whom, and what it keeps. */
class DaemonTest {
  private static final String GOLD = "/sluice/v1/tenants/gold";

  /** With few rounds each: tests run as interpreted code, nearly. */
  private static final String USERS =
      """
      # Ada's password is right, Gil's other.
      ada pbkdf2-sha512$1000$MDEyMzQ1Njc4OWFiY2RlZg==$2fX/sMbcGYBXUwWR4i/FvTQL6K2ZRZAA85Gdm1P2INU= admin
      gil pbkdf2-sha512$1000$MDEyMzQ1Njc4OWFiY2RlZg==$GJ5Nyw+u5AR6rcoCIOH2AONeyCZ17N4d5d+hOJWGajw= sluice-tenant,sluice-tenant-gold
      """;

  @TempDir Path directory;
  private final HttpClient client = HttpClient.newHttpClient();
  private Path file;
  private Daemon daemon;

  @BeforeEach
  void start() throws Exception {
    file = directory.resolve("sluiced.yaml");
    Files.writeString(
        file, "node: n1\ndataDirectory: data\nweb: {listen: [\"http://127.0.0.1:0\"]}\n");
    Files.writeString(directory.resolve("users"), USERS);
    daemon = Daemon.start(Configuration.read(file));
  }

  @AfterEach
  void stop() {
    daemon.close();
  }

  private HttpResponse<String> request(String method, String path, String user, String body)
      throws IOException, InterruptedException {
    InetSocketAddress at = daemon.webAddresses().get(0);
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + at.getPort() + path))
            .header("Content-Type", "application/json")
            .method(method, BodyPublishers.ofString(body));
    if (!user.isEmpty()) {
      request.header(
          "Authorization", "Basic " + Base64.getEncoder().encodeToString(user.getBytes(UTF_8)));
    }
    return client.send(request.build(), BodyHandlers.ofString());
  }

  private HttpResponse<String> get(String path, String user) throws Exception {
    return request("GET", path, user, "");
  }

  @Test
  void whatWasStoredIsThereAfterARestart() throws Exception {
    String gold = "{\"weight\": 4, \"members\": [{\"ipPrefix\": \"10.1.0.0/16\"}]}";
    assertThat(request("PUT", GOLD, "ada:right", gold).statusCode()).isEqualTo(201);
    daemon.close();
    daemon = Daemon.start(Configuration.read(file));

    assertThat(get(GOLD, "ada:right").body()).contains("\"weight\":4", "10.1.0.0/16");
    assertThatThrownBy(() -> Daemon.start(Configuration.read(file)))
        .as("a second one on the same data")
        .isInstanceOf(IOException.class);
  }

  @Test
  void aHangUpSignalHasItReadItsFilesAndDoesNotEndIt() throws Exception {
    Path other = Files.createDirectory(directory.resolve("other")).resolve("sluiced.yaml");
    Files.writeString(other, "web: {listen: [\"http://127.0.0.1:0\"]}\ndataDirectory: data\n");
    Process process =
        new ProcessBuilder(
                // A JVM leaves a signal ignored that its parent ignores, as below nohup.
                "env",
                "--default-signal=HUP",
                ProcessHandle.current().info().command().orElseThrow(),
                "-cp",
                System.getProperty("java.class.path"),
                Main.class.getName(),
                "run",
                "--config",
                other.toString())
            .redirectErrorStream(true)
            .start();
    // The end of its output ends the wait for a line that does not come.
    CompletableFuture.delayedExecutor(1, TimeUnit.MINUTES).execute(process::destroyForcibly);
    try (BufferedReader log = process.inputReader()) {
      awaitLine(log, "Serving REST");
      Files.writeString(other, "settings: {weight: 1}\n");
      new ProcessBuilder("kill", "-HUP", String.valueOf(process.pid())).start().waitFor();
      awaitLine(log, "there is no such setting");
      awaitLine(log, "Files were read again");
      assertThat(process.isAlive()).isTrue();
    } finally {
      process.destroyForcibly().waitFor();
    }
  }

  /** Fails at the end of a process's output. */
  private static void awaitLine(BufferedReader log, String part) throws IOException {
    String line;
    do {
      line = log.readLine();
      assertThat(line).as("a line with '%s'", part).isNotNull();
    } while (!line.contains(part));
  }

  @Test
  void rolesDecideWhoSeesAndChangesWhat() throws Exception {
    request("PUT", GOLD, "ada:right", "{}");
    assertThat(get(GOLD, "").statusCode()).isEqualTo(401);
    assertThat(get(GOLD, "ada:wrong").statusCode()).isEqualTo(401);
    assertThat(get(GOLD, "nobody:right").statusCode()).isEqualTo(401);
    assertThat(get(GOLD, "gil:other").statusCode()).isEqualTo(200);
    assertThat(get("/sluice/v1/tenants/default", "gil:other").statusCode()).isEqualTo(404);
    assertThat(get("/sluice/v1/ports", "gil:other").statusCode()).isEqualTo(403);
    assertThat(request("PUT", GOLD, "gil:other", "{}").statusCode()).isEqualTo(403);
    assertThat(request("TRACE", GOLD, "ada:right", "").statusCode()).isEqualTo(403);
    assertThat(get("/sluice/ui/", "").statusCode()).isEqualTo(401);
    assertThat(get("/sluice/ui/", "gil:other").body()).contains("<title>Sluice</title>");
    assertThat(get("/sluice/ui", "gil:other").headers().firstValue("Location"))
        .contains("/sluice/ui/");
    assertThat(get("/sluice/ui/Main.class", "ada:right").statusCode()).isEqualTo(404);
  }
}

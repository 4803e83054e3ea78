// SPDX-License-Identifier: Apache-2.0
package org.sluice.standalone.etcd;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** An etcd of one member on this machine's loopback address. */
final class EtcdProcess implements AutoCloseable {
  /** Beside the modules, where lab/setup puts it. */
  private static final Path PROGRAM = Path.of("../../.tools/etcd/usr/bin/etcd").toAbsolutePath();

  private final Path directory;
  private final List<String> options;
  private final URI endpoint;
  private final int peerPort = freePort();
  private Process process;

  /** Starts one with data below a directory. */
  EtcdProcess(Path directory, String scheme, String... options) throws IOException {
    if (!Files.isExecutable(PROGRAM)) {
      throw new IOException(PROGRAM + " is missing: run lab/setup");
    }
    this.directory = directory;
    this.options = List.of(options);
    endpoint = URI.create(scheme + "://127.0.0.1:" + freePort());
    start();
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  void start() throws IOException {
    String peers = "http://127.0.0.1:" + peerPort;
    List<String> command =
        new ArrayList<>(
            List.of(
                PROGRAM.toString(),
                "--name=test",
                "--data-dir=" + directory.resolve("etcd"),
                "--listen-client-urls=" + endpoint,
                "--advertise-client-urls=" + endpoint,
                "--listen-peer-urls=" + peers,
                "--initial-advertise-peer-urls=" + peers,
                "--initial-cluster=test=" + peers));
    command.addAll(options);
    process =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.appendTo(directory.resolve("log").toFile()))
            .start();
  }

  URI endpoint() {
    return endpoint;
  }

  void kill() {
    process.destroyForcibly().onExit().join();
  }

  @Override
  public void close() {
    kill();
  }
}

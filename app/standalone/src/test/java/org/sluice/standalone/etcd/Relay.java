// SPDX-License-Identifier: Apache-2.0
package org.sluice.standalone.etcd;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.util.Collection;
import java.util.concurrent.ConcurrentLinkedQueue;

/** A node's way to etcd, which can be cut off. */
final class Relay implements AutoCloseable {
  private final URI target;
  private final ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
  private final Collection<Socket> sockets = new ConcurrentLinkedQueue<>();
  private volatile boolean isCut;

  Relay(URI target) throws IOException {
    this.target = target;
    start(this::accept);
  }

  private static void start(Runnable task) {
    Thread thread = new Thread(task, "relay");
    thread.setDaemon(true);
    thread.start();
  }

  URI endpoint() {
    return URI.create(target.getScheme() + "://127.0.0.1:" + server.getLocalPort());
  }

  private void accept() {
    try {
      while (true) {
        Socket client = server.accept();
        sockets.add(client);
        start(() -> connect(client));
      }
    } catch (IOException e) {
      // It was closed.
    }
  }

  private void connect(Socket client) {
    try (client;
        Socket there = isCut ? new Socket() : new Socket(target.getHost(), target.getPort())) {
      sockets.add(there);
      start(() -> copy(there, client));
      copy(client, there);
    } catch (IOException e) {
      // Nobody is there.
    }
  }

  private static void copy(Socket from, Socket to) {
    try (from;
        to) {
      from.getInputStream().transferTo(to.getOutputStream());
    } catch (IOException e) {
      // One of them was closed.
    }
  }

  void cut() throws IOException {
    isCut = true;
    for (Socket socket : sockets) {
      socket.close();
    }
  }

  void mend() {
    isCut = false;
  }

  @Override
  public void close() throws IOException {
    server.close();
    cut();
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.sluice.agentlink;

import java.nio.file.Path;
import java.util.function.UnaryOperator;
import org.sluice.api.SluiceException;
import org.sluice.api.link.HostHello;

/** A running link with an authority of its own, a listener, and agents that call. */
final class TestLink implements AutoCloseable {
  static final int LEASE_MILLIS = 1500;

  final TestPki pki;
  final TestPki.Identity h1;
  final AgentLinkConfig config;
  final RecordingListener listener = new RecordingListener();
  final AgentLinkServer server;

  TestLink(Path directory) throws SluiceException {
    this(directory, config -> config.leaseMillis(LEASE_MILLIS));
  }

  TestLink(Path directory, UnaryOperator<AgentLinkConfig.Builder> change) throws SluiceException {
    pki = new TestPki(directory, "authority");
    h1 = pki.host("h1");
    config = change.apply(config(pki)).build();
    server = AgentLinkServer.start(config);
    server.addListener(listener);
  }

  /** A good configuration for some port of this machine. */
  static AgentLinkConfig.Builder config(TestPki pki) {
    TestPki.Identity identity = pki.server();
    return AgentLinkConfig.builder()
        .bindAddress("127.0.0.1")
        .port(0)
        .keyFile(identity.key)
        .certificateFile(identity.certificate)
        .trustFile(pki.authority)
        .nodeName("node-1")
        .controllerVersion("test");
  }

  /** An agent that has connected and sent nothing yet. */
  TestAgent agent(TestPki.Identity identity) {
    return new TestAgent(server.localPort(), pki.authority, identity, true);
  }

  /** The agent of h1, which has been welcomed and announced. */
  TestAgent greeted() throws Exception {
    TestAgent agent = agent(h1);
    agent.send(TestAgent.hello("h1"));
    agent.next();
    listener.next(HostHello.class);
    return agent;
  }

  /** What went over the link to and from the only host. */
  HostLinkStats stats() {
    return server.stats().get(0);
  }

  @Override
  public void close() {
    server.close();
  }
}

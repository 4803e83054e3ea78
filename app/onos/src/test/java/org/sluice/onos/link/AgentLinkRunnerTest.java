// SPDX-License-Identifier: Apache-2.0
package org.sluice.onos.link;

import static org.assertj.core.api.Assertions.assertThat;
import static org.sluice.onos.testing.Samples.hello;
import static org.sluice.onos.testing.Waiting.until;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.sluice.api.HostId;
import org.sluice.api.SluiceException;
import org.sluice.api.link.AgentLink;
import org.sluice.api.link.DownlinkMessage;
import org.sluice.api.link.HostHello;
import org.sluice.api.link.UplinkHandler;
import org.sluice.onos.journal.JournalKeeper;
import org.sluice.onos.setting.Parameters;
import org.sluice.onos.testing.FakeLink;
import org.sluice.onos.testing.FakeSettings;

class AgentLinkRunnerTest {
  @TempDir Path directory;

  private final FakeSettings settings = new FakeSettings();
  private final JournalKeeper journal = new JournalKeeper();
  private final List<Server> servers = new CopyOnWriteArrayList<>();
  private final List<HostId> heard = new ArrayList<>();
  private final AgentLinkRunner runner = new AgentLinkRunner(this::listen);
  private boolean portIsTaken;

  private static final class Server implements LinkServer {
    final FakeLink link = new FakeLink();
    final Parameters parameters;
    volatile boolean closed;

    Server(Parameters parameters) {
      this.parameters = parameters;
    }

    @Override
    public AgentLink link() {
      return link;
    }

    @Override
    public void close() {
      closed = true;
    }
  }

  private LinkServer listen(Parameters parameters) throws SluiceException {
    if (portIsTaken) {
      throw new SluiceException(
          SluiceException.Kind.UNAVAILABLE, "port", "6680", "It is taken", "Free it");
    }
    Server server = new Server(parameters);
    servers.add(server);
    return server;
  }

  @BeforeEach
  void start() {
    runner.settings = settings;
    runner.chronicle = journal;
    runner.addListener(
        new UplinkHandler() {
          @Override
          public void sessionOpened(HostHello hello) {
            heard.add(hello.host());
          }
        });
    runner.activate();
  }

  @AfterEach
  void stop() {
    runner.deactivate();
  }

  private void setFiles() throws Exception {
    String file = directory.resolve("a.pem").toString();
    if (!Files.exists(Path.of(file))) {
      Files.createFile(Path.of(file));
    }
    settings.set("agentLinkKey", file, "agentLinkCertificate", file, "agentLinkTrust", file);
  }

  private List<String> journaled() {
    List<String> texts = new ArrayList<>();
    journal.entries(-1, Optional.empty(), 100).forEach(e -> texts.add(e.evidence()));
    return texts;
  }

  @Test
  void withoutFilesItIsOffAndSaysOnceWhatIsMissing() throws Exception {
    until(() -> assertThat(journaled()).hasSize(1));
    assertThat(journaled().get(0)).contains("agentLinkKey", "agentLinkTrust");
    assertThat(servers).isEmpty();
    assertThat(runner.connectedHosts()).isEmpty();
    runner.send(HostId.of("h1"), 1, DownlinkMessage.ofPolicies(List.of()));
  }

  @Test
  void startsWhenTheFilesAreSetAndListenersHearHosts() throws Exception {
    setFiles();
    until(() -> assertThat(servers).hasSize(1));
    until(() -> assertThat(servers.get(0).link.listeners).isNotEmpty());

    servers.get(0).link.connect(hello("h1"));
    runner.send(HostId.of("h1"), 7, DownlinkMessage.ofPolicies(List.of()));

    assertThat(heard).containsExactly(HostId.of("h1"));
    assertThat(runner.connectedHosts()).containsExactly(HostId.of("h1"));
    assertThat(servers.get(0).link.sent).hasSize(1);
  }

  @Test
  void anotherPortMeansAnotherServerForTheSameListeners() throws Exception {
    setFiles();
    until(() -> assertThat(servers).hasSize(1));

    settings.set("agentLinkPort", "7000");

    until(() -> assertThat(servers).hasSize(2));
    assertThat(servers.get(0).closed).isTrue();
    assertThat(servers.get(1).parameters.agentLinkPort()).isEqualTo(7000);
    until(() -> assertThat(servers.get(1).link.listeners).isNotEmpty());
    servers.get(1).link.connect(hello("h2"));
    assertThat(heard).containsExactly(HostId.of("h2"));
  }

  @Test
  void whatDoesNotConcernTheLinkLeavesItAlone() throws Exception {
    setFiles();
    until(() -> assertThat(servers).hasSize(1));

    settings.set("enforcement", "off");
    settings.set("agentLinkPort", "7000");

    until(() -> assertThat(servers).hasSize(2));
    assertThat(servers.get(1).parameters.agentLinkPort()).isEqualTo(7000);
  }

  @Test
  void aPortThatIsTakenIsReportedAndTriedAgain() throws Exception {
    portIsTaken = true;
    setFiles();
    until(() -> assertThat(journaled()).anyMatch(text -> text.contains("It is taken. Free it")));

    portIsTaken = false;

    until(() -> assertThat(servers).hasSize(1));
  }

  @Test
  void takingAFileAwayEndsTheLink() throws Exception {
    setFiles();
    until(() -> assertThat(servers).hasSize(1));

    settings.set("agentLinkKey", "");

    until(() -> assertThat(servers.get(0).closed).isTrue());
    until(() -> assertThat(runner.connectedHosts()).isEmpty());
  }
}

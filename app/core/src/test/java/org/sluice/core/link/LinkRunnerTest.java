// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.link;

import static org.assertj.core.api.Assertions.assertThat;
import static org.sluice.core.testing.Samples.hello;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.sluice.agentlink.HostAccess;
import org.sluice.agentlink.LinkFiles;
import org.sluice.api.HostId;
import org.sluice.api.SluiceException;
import org.sluice.api.link.AgentLink;
import org.sluice.api.link.DownlinkMessage;
import org.sluice.api.link.HostHello;
import org.sluice.api.link.UplinkHandler;
import org.sluice.core.setting.Parameters;
import org.sluice.core.setting.SettingTable;
import org.sluice.core.testing.FakeLink;
import org.sluice.core.testing.MemoryNetwork;
import org.sluice.core.testing.MemoryNode;
import org.sluice.core.testing.VirtualTime;

class LinkRunnerTest {
  private static final long RETRY_MILLIS = 5_000;

  @TempDir Path directory;

  private final VirtualTime time = new VirtualTime();
  private final MemoryNode node = new MemoryNode(new MemoryNetwork(), "n1");
  private final List<Server> servers = new ArrayList<>();
  private final List<HostId> connected = new ArrayList<>();
  private final LinkRunner runner =
      new LinkRunner(
          node.settings,
          node.journal,
          time,
          new LinkServer.Factory() {
            @Override
            public LinkServer start(Parameters parameters) throws SluiceException {
              return listen(parameters);
            }

            @Override
            public Optional<LinkFiles> files(Parameters parameters) throws SluiceException {
              if (filesAreBroken) {
                throw SluiceException.invalid("keyFile", "c.key", "It has no key", "Give one");
              }
              return Optional.of(files);
            }
          });
  private boolean portIsTaken;
  private boolean filesAreBroken;
  private LinkFiles files = files("first", "a", "b");

  private static LinkFiles files(String digest, String... authorities) {
    return LinkFiles.of(
        digest,
        Set.of(authorities),
        Instant.EPOCH.plusSeconds(digest.length()),
        Instant.EPOCH.plusSeconds(authorities.length));
  }

  private static final class Server implements LinkServer {
    final FakeLink link = new FakeLink();
    final Parameters parameters;
    final List<HostAccess> accesses = new ArrayList<>();
    int renewals;
    boolean closed;

    Server(Parameters parameters) {
      this.parameters = parameters;
    }

    @Override
    public AgentLink link() {
      return link;
    }

    @Override
    public void setAccess(HostAccess access) {
      accesses.add(access);
    }

    @Override
    public void renewTls() {
      renewals++;
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
    runner.addListener(
        new UplinkHandler() {
          @Override
          public void sessionOpened(HostHello hello) {
            connected.add(hello.host());
          }
        });
    runner.start();
    pass();
  }

  /** Lets the runner follow what changed. */
  private void pass() {
    time.advanceMillis(1);
  }

  private void set(Object... namesAndValues) {
    node.set(namesAndValues);
    pass();
  }

  private void setFiles() throws Exception {
    String file = directory.resolve("a.pem").toString();
    if (!Files.exists(Path.of(file))) {
      Files.createFile(Path.of(file));
    }
    set("agentLinkKey", file, "agentLinkCertificate", file, "agentLinkTrust", file);
  }

  private List<String> journaled() {
    List<String> texts = new ArrayList<>();
    node.journal.entries(-1, Optional.empty(), 100).forEach(e -> texts.add(e.evidence()));
    return texts;
  }

  @Test
  void linkWithoutFilesIsOffAndRecordsTheMissingSettingsOnce() {
    time.advanceMillis(10 * RETRY_MILLIS);
    assertThat(journaled()).hasSize(1);
    assertThat(journaled().get(0)).contains("agentLinkKey", "agentLinkTrust");
    assertThat(servers).isEmpty();
    assertThat(runner.connectedHosts()).isEmpty();
    runner.send(HostId.of("h1"), 1, DownlinkMessage.ofProfiles(List.of()));
  }

  @Test
  void startsOnceTheFilesAreSetAndListenersReceiveHosts() throws Exception {
    setFiles();
    assertThat(servers).hasSize(1);
    assertThat(servers.get(0).link.listeners).isNotEmpty();

    servers.get(0).link.connect(hello("h1"));
    runner.send(HostId.of("h1"), 7, DownlinkMessage.ofProfiles(List.of()));

    assertThat(connected).containsExactly(HostId.of("h1"));
    assertThat(runner.connectedHosts()).containsExactly(HostId.of("h1"));
    assertThat(servers.get(0).link.sent).hasSize(1);
    assertThat(servers.get(0).link.sent.get(0).term).isEqualTo(7);
  }

  @Test
  void listOfHostsIsReloadedWithoutARestart() throws Exception {
    Path hosts = directory.resolve("hosts");
    Files.writeString(hosts, "h1 # the first\n\nh2\n");
    set("agentLinkHosts", hosts.toString());
    setFiles();
    assertThat(servers).hasSize(1);
    List<HostAccess> accesses = servers.get(0).accesses;
    assertThat(accesses).hasToString("[2 hosts may connect, 0 certificates are revoked]");

    Files.writeString(hosts, "h1\n");
    time.advanceMillis(RETRY_MILLIS);
    assertThat(accesses).last().hasToString("1 hosts may connect, 0 certificates are revoked");
    Files.writeString(hosts, "h1\nh 1\n");
    time.advanceMillis(3 * RETRY_MILLIS);

    assertThat(accesses).hasSize(2);
    assertThat(servers).as("the link goes on").hasSize(1);
    assertThat(runner.accessFault()).contains("agentLinkHosts", hosts + ":2", "one host in each");
    assertThat(journaled()).filteredOn(text -> text.contains(hosts + ":2")).hasSize(1);
    Files.writeString(hosts, "h1\nh3\n");
    time.advanceMillis(RETRY_MILLIS);
    assertThat(runner.accessFault()).isEmpty();
    assertThat(accesses).hasSize(3);
  }

  @Test
  void sessionsGoOnWithRenewedFiles() throws Exception {
    setFiles();
    time.advanceMillis(3 * RETRY_MILLIS);
    assertThat(servers.get(0).renewals).as("nothing has changed").isZero();
    assertThat(runner.certificateNotAfter()).contains(files.certificateNotAfter());
    assertThat(runner.authorityNotAfter()).contains(files.authorityNotAfter());

    for (LinkFiles next : List.of(files("second", "a", "b"), files("second", "a", "b", "c"))) {
      files = next;
      time.advanceMillis(3 * RETRY_MILLIS);
      assertThat(runner.certificateNotAfter()).contains(files.certificateNotAfter());
      assertThat(runner.authorityNotAfter()).contains(files.authorityNotAfter());
    }
    assertThat(servers).hasSize(1);
    assertThat(servers.get(0).renewals).isEqualTo(2);
    assertThat(servers.get(0).closed).isFalse();
  }

  /** Agents that it vouched for must not go on. */
  @Test
  void authorityThatIsGoneEndsSessions() throws Exception {
    setFiles();
    files = files("first", "b", "c");
    time.advanceMillis(3 * RETRY_MILLIS);

    assertThat(servers).hasSize(2);
    assertThat(servers.get(0).closed).isTrue();
    assertThat(servers.get(0).renewals).isZero();
    servers.get(1).link.connect(hello("h2"));
    assertThat(connected).containsExactly(HostId.of("h2"));
  }

  /** As while an operator has exchanged one of them and not yet the other. */
  @Test
  void linkGoesOnWhileItsFilesCannotBeUsed() throws Exception {
    setFiles();
    filesAreBroken = true;
    time.advanceMillis(3 * RETRY_MILLIS);
    assertThat(servers).hasSize(1);
    assertThat(servers.get(0).closed).isFalse();
    assertThat(runner.filesFault()).contains("keyFile 'c.key'", "Give one");
    assertThat(journaled()).filteredOn(text -> text.contains("c.key")).hasSize(1);

    filesAreBroken = false;
    time.advanceMillis(RETRY_MILLIS);
    assertThat(runner.filesFault()).isEmpty();
    assertThat(servers).hasSize(1);
  }

  /** It must not let in everybody instead. */
  @Test
  void linkDoesNotStartWithoutItsConfiguredListOfHosts() throws Exception {
    Path hosts = directory.resolve("hosts");
    Files.writeString(hosts, "h1\n");
    set("agentLinkHosts", hosts.toString());
    Files.delete(hosts);
    setFiles();
    assertThat(servers).isEmpty();
    assertThat(journaled().get(0)).contains("cannot start", "agentLinkHosts");
  }

  @Test
  void laterListenerReceivesConnectedHosts() throws Exception {
    setFiles();
    servers.get(0).link.connect(hello("h1"));
    List<HostId> later = new ArrayList<>();
    UplinkHandler listener =
        new UplinkHandler() {
          @Override
          public void sessionOpened(HostHello hello) {
            later.add(hello.host());
          }
        };
    runner.addListener(listener);
    assertThat(later).containsExactly(HostId.of("h1"));

    runner.removeListener(listener);
    servers.get(0).link.connect(hello("h2"));
    assertThat(later).containsExactly(HostId.of("h1"));
    assertThat(connected).containsExactly(HostId.of("h1"), HostId.of("h2"));
  }

  @Test
  void changedPortReplacesTheServerAndKeepsItsListeners() throws Exception {
    setFiles();
    assertThat(servers).hasSize(1);

    set("agentLinkPort", "7000");

    assertThat(servers).hasSize(2);
    assertThat(servers.get(0).closed).isTrue();
    assertThat(servers.get(1).parameters.get(SettingTable.AGENT_LINK_PORT)).isEqualTo(7000);
    assertThat(servers.get(1).link.listeners).isNotEmpty();
    servers.get(1).link.connect(hello("h2"));
    assertThat(connected).containsExactly(HostId.of("h2"));
  }

  @Test
  void unrelatedSettingsDoNotRestartTheLink() throws Exception {
    setFiles();
    set("enforcement", "off");
    time.advanceMillis(2 * RETRY_MILLIS);
    assertThat(servers).hasSize(1);
    assertThat(servers.get(0).closed).isFalse();

    set("agentLinkPort", "7000");

    assertThat(servers).hasSize(2);
    assertThat(servers.get(1).parameters.get(SettingTable.AGENT_LINK_PORT)).isEqualTo(7000);
  }

  @Test
  void occupiedTcpPortIsReportedOnceAndRetried() throws Exception {
    portIsTaken = true;
    setFiles();
    time.advanceMillis(3 * RETRY_MILLIS);
    assertThat(journaled().stream().filter(text -> text.contains("It is taken. Free it")))
        .hasSize(1);

    portIsTaken = false;
    time.advanceMillis(RETRY_MILLIS);

    assertThat(servers).hasSize(1);
  }

  @Test
  void removedFileSettingEndsTheLink() throws Exception {
    setFiles();
    servers.get(0).link.connect(hello("h1"));

    set("agentLinkKey", "");

    assertThat(servers.get(0).closed).isTrue();
    assertThat(runner.connectedHosts()).isEmpty();
  }

  @Test
  void stoppingClosesTheServerForGood() throws Exception {
    setFiles();
    runner.stop();
    assertThat(servers.get(0).closed).isTrue();

    set("agentLinkPort", "7000");
    time.advanceMillis(2 * RETRY_MILLIS);

    assertThat(servers).hasSize(1);
    assertThat(runner.connectedHosts()).isEmpty();
  }
}

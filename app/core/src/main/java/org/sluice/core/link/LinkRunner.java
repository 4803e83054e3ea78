// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.link;

import static java.util.concurrent.TimeUnit.SECONDS;

import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ScheduledExecutorService;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.sluice.agentlink.AgentLinkConfig;
import org.sluice.agentlink.AgentLinkServer;
import org.sluice.agentlink.HostAccess;
import org.sluice.agentlink.LinkFiles;
import org.sluice.api.CertificateService;
import org.sluice.api.JournalEntry;
import org.sluice.api.SluiceException;
import org.sluice.api.link.AgentLink;
import org.sluice.core.journal.JournalWriter;
import org.sluice.core.runtime.Execution;
import org.sluice.core.setting.Parameters;
import org.sluice.core.setting.Setting;
import org.sluice.core.setting.SettingListener;
import org.sluice.core.setting.SettingTable;
import org.sluice.core.setting.Settings;
import org.sluice.core.setting.WithdrawStage;
import org.sluice.core.spi.Platform;

/**
 * Lets agents in as the parameters say: starts the link, starts it anew when port or lease change
 * or an authority is withdrawn, tries again while it cannot start. Reads every few seconds its
 * certificates and who may connect; while that cannot be read, what was read last holds.
 */
public final class LinkRunner extends LinkRelay implements SettingListener, CertificateService {
  private static final Logger log = LoggerFactory.getLogger(LinkRunner.class);
  private static final long RETRY_SECONDS = 5;
  private static final String UNKNOWN_VERSION = "unknown";

  /** What a link that listens depends on: another value needs another one. */
  private static final List<Setting<?>> LINK_SETTINGS =
      List.of(
          SettingTable.AGENT_LINK_PORT,
          SettingTable.LEASE_MILLIS,
          SettingTable.AGENT_LINK_KEY,
          SettingTable.AGENT_LINK_CERTIFICATE,
          SettingTable.AGENT_LINK_TRUST);

  private final Settings settings;
  private final JournalWriter journal;
  private final Execution execution;
  private final LinkServer.Factory factory;
  private ScheduledExecutorService executor;
  private LinkServer server;
  private Parameters running;
  private String lastFault = "";
  private HostAccess access = HostAccess.ALL;
  private volatile String accessFault = "";
  private volatile Optional<LinkFiles> files = Optional.empty();
  private volatile String filesFault = "";

  /** One that does not listen yet. */
  public LinkRunner(
      Settings settings, JournalWriter journal, Execution execution, LinkServer.Factory factory) {
    this.settings = settings;
    this.journal = journal;
    this.execution = execution;
    this.factory = factory;
  }

  /** Listens over gRPC and mutual TLS, in the name of a platform's node. */
  public static LinkServer.Factory overTheNetwork(Platform platform) {
    return new LinkServer.Factory() {
      @Override
      public LinkServer start(Parameters parameters) throws SluiceException {
        return listen(config(platform, parameters));
      }

      @Override
      public Optional<LinkFiles> files(Parameters parameters) throws SluiceException {
        return Optional.of(LinkFiles.read(config(platform, parameters)));
      }
    };
  }

  public void start() {
    executor = execution.sequential("link");
    settings.addListener(WithdrawStage.LINK, this);
    executor.scheduleWithFixedDelay(this::follow, 0, RETRY_SECONDS, SECONDS);
  }

  public void stop() {
    settings.removeListener(this);
    executor.shutdownNow();
    stopServer();
  }

  @Override
  public void changed(Parameters before, Parameters now) {
    executor.execute(this::follow);
  }

  /** Brings the link to what the parameters say. */
  private synchronized void follow() {
    if (executor.isShutdown()) {
      return;
    }
    try {
      Parameters now = settings.parameters();
      if (server != null && !(sameLink(running, now) && followFiles(now))) {
        stopServer();
      }
      if (server == null) {
        startServer(now);
      } else {
        followAccess(now);
      }
    } catch (RuntimeException e) {
      // It would end the repetition.
      log.error("The agent link could not be updated; retrying at the next interval", e);
    }
  }

  private void startServer(Parameters now) {
    if (factory.needsFiles() && !hasFiles(now)) {
      fault(
          "The agent link is off: set agentLinkKey, agentLinkCertificate and agentLinkTrust to"
              + " PEM files");
      return;
    }
    try {
      access = readAccess(now);
      accessFault = "";
      Optional<LinkFiles> read = factory.files(now);
      server = factory.start(now);
      files = read;
      filesFault = "";
      server.setAccess(access);
      running = now;
      lastFault = "";
      use(server.link());
      journal.write(
          JournalEntry.Kind.SETTING,
          "Listening for agents on TCP port " + now.get(SettingTable.AGENT_LINK_PORT),
          "lease " + now.get(SettingTable.LEASE_MILLIS) + " ms");
    } catch (SluiceException e) {
      fault("The agent link cannot start: " + words(e));
    }
  }

  private static boolean hasFiles(Parameters now) {
    return !now.get(SettingTable.AGENT_LINK_KEY).isEmpty()
        && !now.get(SettingTable.AGENT_LINK_CERTIFICATE).isEmpty()
        && !now.get(SettingTable.AGENT_LINK_TRUST).isEmpty();
  }

  private void followAccess(Parameters now) {
    try {
      HostAccess read = readAccess(now);
      accessFault = "";
      if (!read.equals(access)) {
        access = read;
        server.setAccess(read);
        journal.write(
            JournalEntry.Kind.SETTING,
            "The lists of hosts that may connect have changed",
            read.toString());
      }
    } catch (SluiceException e) {
      accessFault = outdated("The lists of hosts that may connect", accessFault, words(e));
    }
  }

  /** Takes files that were renewed; whether the link goes on, which it does if they are no use. */
  private boolean followFiles(Parameters now) {
    try {
      Optional<LinkFiles> read = factory.files(now);
      // Whoever showed a certificate of an authority that is gone must not go on.
      boolean goesOn = authorities(read).containsAll(authorities(files));
      if (!read.equals(files)) {
        if (goesOn) {
          server.renewTls();
        }
        files = read;
        journal.write(
            JournalEntry.Kind.SETTING,
            "The agent link's key, certificate or authority has changed",
            goesOn ? "sessions go on" : "an authority is gone: agents connect again");
      }
      filesFault = "";
      return goesOn;
    } catch (SluiceException e) {
      filesFault = outdated("The agent link's key, certificate or authority", filesFault, words(e));
      return true;
    }
  }

  private static Set<String> authorities(Optional<LinkFiles> files) {
    return files.map(LinkFiles::authorities).orElse(Set.of());
  }

  /** Reports a fault, if it is another one than before. */
  private String outdated(String what, String before, String fault) {
    if (!fault.equals(before)) {
      String text = what + " could not be read, and what was read last stays in effect";
      log.warn("{}: {}", text, fault);
      journal.write(JournalEntry.Kind.SETTING, text, fault);
    }
    return fault;
  }

  private static HostAccess readAccess(Parameters now) throws SluiceException {
    return HostAccess.read(
        file(now.get(SettingTable.AGENT_LINK_HOSTS)),
        file(now.get(SettingTable.AGENT_LINK_REVOKED)),
        Path.of(now.get(SettingTable.AGENT_LINK_TRUST)));
  }

  private static Optional<Path> file(String name) {
    return name.isEmpty() ? Optional.empty() : Optional.of(Path.of(name));
  }

  private static String words(SluiceException e) {
    return String.format(
        "%s '%s': %s. %s", e.field().orElse(""), e.value(), e.getMessage(), e.remedy());
  }

  /** Why the lists of who may connect cannot be read; empty: they can. */
  public String accessFault() {
    return accessFault;
  }

  /** Why key, certificate or authority cannot be read anew; empty: they can. */
  public String filesFault() {
    return filesFault;
  }

  @Override
  public Optional<Instant> certificateNotAfter() {
    return files.map(LinkFiles::certificateNotAfter);
  }

  @Override
  public Optional<Instant> authorityNotAfter() {
    return files.map(LinkFiles::authorityNotAfter);
  }

  private void fault(String text) {
    if (!text.equals(lastFault)) {
      lastFault = text;
      log.warn(text);
      journal.write(JournalEntry.Kind.SETTING, "No agent can connect", text);
    }
  }

  private synchronized void stopServer() {
    if (server != null) {
      drop();
      server.close();
      server = null;
      files = Optional.empty();
      filesFault = "";
    }
  }

  private static boolean sameLink(Parameters a, Parameters b) {
    return LINK_SETTINGS.stream().allMatch(setting -> a.get(setting).equals(b.get(setting)));
  }

  private static AgentLinkConfig config(Platform platform, Parameters parameters)
      throws SluiceException {
    String version = platform.applicationVersion();
    return AgentLinkConfig.builder()
        .port(parameters.get(SettingTable.AGENT_LINK_PORT))
        .keyFile(Path.of(parameters.get(SettingTable.AGENT_LINK_KEY)))
        .certificateFile(Path.of(parameters.get(SettingTable.AGENT_LINK_CERTIFICATE)))
        .trustFile(Path.of(parameters.get(SettingTable.AGENT_LINK_TRUST)))
        .nodeName(platform.nodeName())
        .controllerVersion(version.isEmpty() ? UNKNOWN_VERSION : version)
        .leaseMillis(parameters.get(SettingTable.LEASE_MILLIS))
        .build();
  }

  private static LinkServer listen(AgentLinkConfig config) throws SluiceException {
    AgentLinkServer started = AgentLinkServer.start(config);
    return new LinkServer() {
      @Override
      public AgentLink link() {
        return started;
      }

      @Override
      public void setAccess(HostAccess access) {
        started.setAccess(access);
      }

      @Override
      public void renewTls() throws SluiceException {
        started.renewTls();
      }

      @Override
      public void close() {
        started.close();
      }
    };
  }
}

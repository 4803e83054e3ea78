// SPDX-License-Identifier: Apache-2.0
package org.sluice.onos.link;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.onlab.util.Tools.groupedThreads;

import java.nio.file.Path;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import org.onosproject.cluster.ClusterService;
import org.osgi.framework.FrameworkUtil;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Deactivate;
import org.osgi.service.component.annotations.Reference;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.sluice.agentlink.AgentLinkConfig;
import org.sluice.agentlink.AgentLinkServer;
import org.sluice.api.JournalEntry;
import org.sluice.api.SluiceException;
import org.sluice.api.link.AgentLink;
import org.sluice.onos.journal.Chronicle;
import org.sluice.onos.setting.Parameters;
import org.sluice.onos.setting.SettingListener;
import org.sluice.onos.setting.SettingService;

/**
 * Lets agents in as the parameters say: starts the link, starts it anew when port, lease or files
 * change, tries again while it cannot start.
 */
@Component(immediate = true, service = AgentLink.class)
public class AgentLinkRunner extends LinkRelay implements SettingListener {
  private static final Logger log = LoggerFactory.getLogger(AgentLinkRunner.class);
  private static final int WITHDRAW_STAGE = 10;
  private static final long RETRY_SECONDS = 5;
  private static final String UNKNOWN_VERSION = "unknown";

  @Reference SettingService settings;
  @Reference ClusterService cluster;
  @Reference Chronicle chronicle;

  private final LinkServer.Factory factory;
  private ScheduledExecutorService executor;
  private LinkServer server;
  private Parameters running;
  private String lastFault = "";

  public AgentLinkRunner() {
    factory = this::listen;
  }

  /** With another kind of server, for tests. */
  AgentLinkRunner(LinkServer.Factory factory) {
    this.factory = factory;
  }

  @Activate
  void activate() {
    executor =
        Executors.newSingleThreadScheduledExecutor(groupedThreads("sluice", "link-runner", log));
    settings.addListener(WITHDRAW_STAGE, this);
    executor.scheduleWithFixedDelay(this::follow, 0, RETRY_SECONDS, SECONDS);
  }

  @Deactivate
  void deactivate() {
    settings.removeListener(this);
    executor.shutdownNow();
    stop();
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
    Parameters now = settings.parameters();
    if (server != null && !sameLink(running, now)) {
      stop();
    }
    if (server == null) {
      start(now);
    }
  }

  private void start(Parameters now) {
    if (now.agentLinkKey().isEmpty()
        || now.agentLinkCertificate().isEmpty()
        || now.agentLinkTrust().isEmpty()) {
      fault(
          "The agent link is off: set agentLinkKey, agentLinkCertificate and agentLinkTrust to"
              + " PEM files");
      return;
    }
    try {
      server = factory.start(now);
      running = now;
      lastFault = "";
      use(server.link());
      chronicle.write(
          JournalEntry.Kind.SETTING,
          "Agents are awaited on TCP port " + now.agentLinkPort(),
          "lease " + now.leaseMillis() + " ms");
    } catch (SluiceException e) {
      fault(
          String.format(
              "The agent link cannot start: %s '%s': %s. %s",
              e.field().orElse(""), e.value(), e.getMessage(), e.remedy()));
    }
  }

  private void fault(String text) {
    if (!text.equals(lastFault)) {
      lastFault = text;
      log.warn(text);
      chronicle.write(JournalEntry.Kind.SETTING, "No agent can connect", text);
    }
  }

  private synchronized void stop() {
    if (server != null) {
      drop();
      server.close();
      server = null;
    }
  }

  private static boolean sameLink(Parameters a, Parameters b) {
    return a.agentLinkPort() == b.agentLinkPort()
        && a.leaseMillis() == b.leaseMillis()
        && a.agentLinkKey().equals(b.agentLinkKey())
        && a.agentLinkCertificate().equals(b.agentLinkCertificate())
        && a.agentLinkTrust().equals(b.agentLinkTrust());
  }

  private LinkServer listen(Parameters parameters) throws SluiceException {
    AgentLinkServer started =
        AgentLinkServer.start(
            AgentLinkConfig.builder()
                .port(parameters.agentLinkPort())
                .keyFile(Path.of(parameters.agentLinkKey()))
                .certificateFile(Path.of(parameters.agentLinkCertificate()))
                .trustFile(Path.of(parameters.agentLinkTrust()))
                .nodeName(cluster.getLocalNode().id().toString())
                .controllerVersion(version())
                .leaseMillis(parameters.leaseMillis())
                .build());
    return new LinkServer() {
      @Override
      public AgentLink link() {
        return started;
      }

      @Override
      public void close() {
        started.close();
      }
    };
  }

  private static String version() {
    return FrameworkUtil.getBundle(AgentLinkRunner.class) == null
        ? UNKNOWN_VERSION
        : FrameworkUtil.getBundle(AgentLinkRunner.class).getVersion().toString();
  }
}

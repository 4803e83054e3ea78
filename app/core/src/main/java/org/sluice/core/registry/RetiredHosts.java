// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.registry;

import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledExecutorService;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.sluice.api.Host;
import org.sluice.api.HostAdminService;
import org.sluice.api.HostId;
import org.sluice.api.JournalEntry;
import org.sluice.api.SluiceException;
import org.sluice.api.link.AgentLink;
import org.sluice.api.link.HostHello;
import org.sluice.api.link.UplinkHandler;
import org.sluice.core.journal.JournalWriter;
import org.sluice.core.runtime.Execution;
import org.sluice.core.setting.SettingListener;
import org.sluice.core.setting.Settings;
import org.sluice.core.setting.WithdrawStage;
import org.sluice.core.spi.ReplicatedMap;
import org.sluice.core.spi.ReplicatedMap.Versioned;
import org.sluice.core.spi.ReplicatedStorage;
import org.sluice.core.spi.StorageUnavailableException;

/**
 * Hosts that were taken out of service, over the cluster: every node forgets them when it learns of
 * it. One whose agent connects again is back.
 */
public final class RetiredHosts implements HostAdminService, UplinkHandler, SettingListener {
  private static final Logger log = LoggerFactory.getLogger(RetiredHosts.class);
  private static final String STORE = "sluice-retired-hosts";

  private final Settings settings;
  private final AgentLink link;
  private final HostRegistry hosts;
  private final EndpointRegistry endpoints;
  private final ReplicatedMap store;
  private final JournalWriter journal;
  private final Execution execution;
  private final Set<HostId> retired = ConcurrentHashMap.newKeySet();
  private final ReplicatedMap.Listener listener = (key, before, now) -> changed(key, now);
  private ScheduledExecutorService executor;

  public RetiredHosts(
      Settings settings,
      AgentLink link,
      HostRegistry hosts,
      EndpointRegistry endpoints,
      ReplicatedStorage storage,
      JournalWriter journal,
      Execution execution) {
    this.settings = settings;
    this.link = link;
    this.hosts = hosts;
    this.endpoints = endpoints;
    this.store = storage.map(STORE);
    this.journal = journal;
    this.execution = execution;
  }

  public void start() {
    executor = execution.sequential("retired-hosts");
    store.addListener(listener);
    settings.addListener(WithdrawStage.PROFILES, this);
    link.addListener(this);
    executor.execute(this::tryToReload);
  }

  public void stop() {
    link.removeListener(this);
    settings.removeListener(this);
    store.removeListener(listener);
    executor.shutdownNow();
  }

  @Override
  public void withdraw() {
    store.clear();
  }

  @Override
  public void retire(HostId id, String author) throws SluiceException {
    Optional<Host> host = hosts.host(id);
    if (host.isEmpty() && !endpoints.isDecided(id)) { // One may have died before this node started.
      throw SluiceException.notFound("host", id, "There is no such host");
    }
    if (host.filter(Host::connected).isPresent()) {
      throw SluiceException.conflict(
          "host",
          id,
          "Its agent is connected",
          "Stop it first: systemctl disable --now sluice-agent on " + id);
    }
    try {
      store.put(id.name(), author);
    } catch (StorageUnavailableException e) {
      log.warn("Host {} cannot be retired", id, e);
      throw new SluiceException(
          SluiceException.Kind.UNAVAILABLE,
          "",
          "",
          "The cluster's store cannot be written: " + e,
          "Try again in some seconds");
    }
    forget(id);
    journal.write(
        JournalEntry.Kind.HOST,
        "Host " + id + " is out of service",
        author.isEmpty() ? "its endpoints are forgotten" : "requested by " + author);
  }

  private void changed(String name, Optional<Versioned> now) {
    HostId id = HostId.of(name);
    if (now.isPresent()) {
      forget(id);
    } else {
      retired.remove(id);
    }
  }

  private void forget(HostId id) {
    retired.add(id);
    hosts.forget(id);
    endpoints.forget(id);
  }

  @Override
  public void sessionOpened(HostHello hello) {
    if (retired.contains(hello.host())) {
      executor.execute(this::tryToReload);
    }
  }

  private void tryToReload() {
    try {
      reload();
    } catch (StorageUnavailableException e) {
      log.debug("Retired hosts could not be read; read again with the rest of the store", e);
    }
  }

  /**
   * Reads which hosts are retired, and strikes off those that are back.
   *
   * @throws StorageUnavailableException if the store does not answer
   */
  public void reload() {
    store
        .entries()
        .forEach(
            (name, entry) -> {
              if (hosts.host(HostId.of(name)).filter(Host::connected).isPresent()) {
                store.remove(name, entry.version());
              } else {
                forget(HostId.of(name));
              }
            });
  }
}

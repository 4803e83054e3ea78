// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.profile;

import static java.util.concurrent.TimeUnit.SECONDS;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.sluice.api.EndpointId;
import org.sluice.api.HostId;
import org.sluice.api.IpAddress;
import org.sluice.api.link.AgentLink;
import org.sluice.api.link.DownlinkMessage;
import org.sluice.api.link.EndpointProfile;
import org.sluice.api.link.HostSettings;
import org.sluice.core.certificate.PeerCertifier;
import org.sluice.core.registry.ReportedEndpoints;
import org.sluice.core.runtime.CoalescedTask;
import org.sluice.core.runtime.Execution;
import org.sluice.core.runtime.TakeoverTerms;
import org.sluice.core.setting.Parameters;
import org.sluice.core.setting.SettingListener;
import org.sluice.core.setting.SettingTable;
import org.sluice.core.setting.SettingTable.NoticeFormat;
import org.sluice.core.setting.Settings;
import org.sluice.core.setting.Topics;
import org.sluice.core.setting.WithdrawStage;
import org.sluice.core.spi.Leadership;
import org.sluice.core.spi.StorageUnavailableException;
import org.sluice.core.tenant.TenantDirectory;

/**
 * Publishes to hosts what their endpoints are due, and how their shims work. One node does, the
 * leader of {@value Topics#CLUSTER}; each host gets what changed for it.
 */
public final class ProfilePublisher implements SettingListener {
  private static final Logger log = LoggerFactory.getLogger(ProfilePublisher.class);
  private static final long RETRY_SECONDS = 10;
  private static final int TAU_OF_THE_AGENT = 0;
  private static final int HANDSHAKE_WAIT_MICROS = 5000;

  private final Settings settings;
  private final AgentLink link;
  private final ReportedEndpoints endpoints;
  private final TenantDirectory tenants;
  private final FlowReporting flows;
  private final TunedLevels levels;
  private final CeilingParts ceilings;
  private final Leadership leadership;
  private final Execution execution;
  private final PeerCertifier certifier;
  private final boolean receiversMark;
  private final TakeoverTerms terms;

  private final Runnable publishSoon =
      new CoalescedTask(command -> this.executor.execute(command), this::publish);
  private final Runnable publishCeilingsSoon =
      new CoalescedTask(command -> this.executor.execute(command), this::publishCeilings);
  private ScheduledExecutorService executor;
  private volatile boolean withdrawn;

  // Executor thread only:
  private final Map<HostId, Published> published = new HashMap<>();
  private final HostProfiles profiles;

  /** Hosts for which something has changed and that have not been notified. */
  private final Set<HostId> due = new HashSet<>();

  /** What a host was last sent in its session and our term. */
  private static final class Published {
    final long session;
    final long term;

    /** Without parts of ceilings. */
    List<EndpointProfile> own;

    List<EndpointProfile> profiles;
    HostSettings settings;

    Published(long session, long term) {
      this.session = session;
      this.term = term;
    }
  }

  /**
   * One that publishes nothing yet.
   *
   * @param clockMillis the cluster's steady time, ms since the epoch
   */
  public ProfilePublisher(
      Settings settings,
      AgentLink link,
      ReportedEndpoints endpoints,
      TenantDirectory tenants,
      FlowReporting flows,
      TunedLevels levels,
      CeilingParts ceilings,
      Leadership leadership,
      PeerCertifier certifier,
      boolean receiversMark,
      Execution execution,
      LongSupplier clockMillis) {
    this.settings = settings;
    this.link = link;
    this.endpoints = endpoints;
    this.tenants = tenants;
    this.flows = flows;
    this.levels = levels;
    this.ceilings = ceilings;
    this.leadership = leadership;
    this.execution = execution;
    this.certifier = certifier;
    this.receiversMark = receiversMark;
    terms = new TakeoverTerms(clockMillis);
    profiles = new HostProfiles(endpoints, tenants);
  }

  public void start() {
    executor = execution.sequential("profiles");
    leadership.epoch().addListener(publishSoon);
    settings.addListener(WithdrawStage.PROFILES, this);
    endpoints.epoch().addListener(publishSoon);
    tenants.epoch().addListener(publishSoon);
    flows.epoch().addListener(publishSoon);
    levels.epoch().addListener(publishSoon);
    ceilings.epoch().addListener(publishCeilingsSoon);
    executor.scheduleWithFixedDelay(publishSoon, 0, RETRY_SECONDS, SECONDS);
  }

  public void stop() {
    ceilings.epoch().removeListener(publishCeilingsSoon);
    levels.epoch().removeListener(publishSoon);
    flows.epoch().removeListener(publishSoon);
    tenants.epoch().removeListener(publishSoon);
    endpoints.epoch().removeListener(publishSoon);
    settings.removeListener(this);
    leadership.epoch().removeListener(publishSoon);
    executor.shutdownNow();
  }

  @Override
  public void changed(Parameters before, Parameters now) {
    publishSoon.run();
  }

  @Override
  public void withdraw() {
    withdrawn = true;
    certifier.withdraw();
  }

  private void publish() {
    if (withdrawn) {
      return;
    }
    try {
      OptionalLong leadershipTerm = leadership.localTerm(Topics.CLUSTER);
      if (leadershipTerm.isEmpty()) {
        published.clear();
        return;
      }
      long term = terms.term(Topics.CLUSTER, leadershipTerm.getAsLong());
      // In this order: the endpoints of a host with a session are known.
      Map<HostId, Long> sessions = endpoints.sessions();
      due.addAll(profiles.follow(settings.parameters().sharesAmongTenants()));
      HostSettings hostSettings = hostSettings(settings.parameters());
      certifier.checkStore(); // Where it does not answer there may be another leader by now.
      published.keySet().retainAll(sessions.keySet());
      sessions.forEach(
          (host, session) -> {
            Published before = published.get(host);
            if (before == null || before.session != session || before.term != term) {
              before = new Published(session, term); // A new session or leader: all of it.
              published.put(host, before);
            }
            if (before.own == null || due.contains(host)) {
              before.own =
                  profiles.ofHost(host).stream()
                      .map(profile -> profile.withRefusedIps(refused(profile.endpoint())))
                      .collect(Collectors.toList());
              publishProfiles(host, before);
            }
            publish(host, before, hostSettings);
          });
      due.clear();
    } catch (RuntimeException e) {
      log.error("Profiles could not be published; hosts keep theirs until the next change", e);
    }
  }

  private Set<IpAddress> refused(EndpointId endpoint) {
    return endpoints.refused().getOrDefault(endpoint, Map.of()).keySet();
  }

  /** Several times a second: only to hosts for which something has changed. */
  private void publishCeilings() {
    Set<HostId> changed = ceilings.takeChangedHosts();
    if (withdrawn || changed.isEmpty() || leadership.localTerm(Topics.CLUSTER).isEmpty()) {
      return;
    }
    try {
      certifier.checkStore(); // Likewise.
    } catch (StorageUnavailableException e) {
      log.debug("Parts of ceilings were not published; the next leader's hold, or later ones", e);
      due.addAll(changed);
      return;
    }
    for (HostId host : changed) {
      Published before = published.get(host);
      if (before != null) {
        publishProfiles(host, before);
      }
    }
  }

  private void publishProfiles(HostId host, Published before) {
    List<EndpointProfile> profiles =
        before.own.stream().map(ceilings::applyTo).collect(Collectors.toList());
    if (!profiles.equals(before.profiles)) {
      before.profiles = profiles;
      link.send(host, before.term, DownlinkMessage.ofProfiles(profiles));
    }
  }

  private void publish(HostId host, Published before, HostSettings hostSettings) {
    if (!hostSettings.equals(before.settings)) {
      before.settings = hostSettings;
      link.send(host, before.term, DownlinkMessage.ofSettings(hostSettings));
    }
  }

  private HostSettings hostSettings(Parameters parameters) {
    boolean flowsWanted = flows.isWanted();
    int periodMillis = parameters.get(SettingTable.CONTROL_PERIOD_MILLIS);
    return HostSettings.of(
            parameters.get(SettingTable.ENFORCEMENT),
            parameters.get(SettingTable.LAW),
            (int) TimeUnit.MILLISECONDS.toMicros(periodMillis),
            TAU_OF_THE_AGENT,
            parameters.noticesAlone(),
            noticeTransport(parameters))
        .toBuilder()
        .reportFlows(flowsWanted)
        .handshakeWaitMicros(flowsWanted ? HANDSHAKE_WAIT_MICROS : 0)
        .reportLosses(flowsWanted && parameters.get(SettingTable.LOSS_ANSWERS))
        .sendLostFrames(flowsWanted && parameters.packetOutAnswers())
        .signConnections(flowsWanted && parameters.switchFlows())
        .reportFlowSizes(parameters.needsFlowSizes())
        .levelThresholdsBytes(parameters.tunesLevels() ? levels.thresholdsBytes() : List.of())
        .receiversMark(receiversMark)
        .build();
  }

  private static HostSettings.NoticeTransport noticeTransport(Parameters parameters) {
    if (!parameters.noticesInBand()) {
      return HostSettings.NoticeTransport.LINK;
    }
    return parameters.get(SettingTable.NOTICE_FORMAT) == NoticeFormat.V1
        ? HostSettings.NoticeTransport.IN_BAND_V1
        : HostSettings.NoticeTransport.IN_BAND_SDN_GCC;
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.sluice.onos.loop;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.onlab.util.Tools.groupedThreads;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.onosproject.cluster.ClusterService;
import org.onosproject.cluster.Leadership;
import org.onosproject.cluster.LeadershipEventListener;
import org.onosproject.cluster.LeadershipService;
import org.onosproject.store.service.StorageService;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Deactivate;
import org.osgi.service.component.annotations.Reference;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.sluice.agentlink.SteadyClock;
import org.sluice.api.HostId;
import org.sluice.api.link.AgentLink;
import org.sluice.api.link.DownlinkMessage;
import org.sluice.api.link.EndpointPolicy;
import org.sluice.api.link.HostSettings;
import org.sluice.api.link.LinkKey;
import org.sluice.onos.deadline.FlowDemand;
import org.sluice.onos.registry.ReportedEndpoints;
import org.sluice.onos.setting.Duties;
import org.sluice.onos.setting.Parameters;
import org.sluice.onos.setting.SettingListener;
import org.sluice.onos.setting.SettingService;
import org.sluice.onos.tenant.TenantDirectory;

/**
 * Tells hosts what their endpoints are due, how their shims work, and the key between them. One
 * node does, the leader {@value #TOPIC}; each host gets what changed for it.
 */
@Component(
    immediate = true,
    service = {})
public class PolicyPublisher implements SettingListener {
  static final String TOPIC = Duties.POLICY;

  private static final Logger log = LoggerFactory.getLogger(PolicyPublisher.class);
  private static final int WITHDRAW_STAGE = 20;
  private static final long ROTATION_CHECK_SECONDS = 10;
  private static final int TAU_OF_THE_AGENT = 0;
  private static final int HANDSHAKE_WAIT_MICROS = 5000;

  @Reference SettingService settings;
  @Reference AgentLink link;
  @Reference ReportedEndpoints endpoints;
  @Reference TenantDirectory tenants;
  @Reference LeadershipService leadership;
  @Reference ClusterService cluster;
  @Reference StorageService storage;
  @Reference FlowDemand flows;

  private final LeadershipEventListener leadershipListener = event -> publishSoon();
  private final Runnable changeListener = this::publishSoon;
  private final AtomicBoolean due = new AtomicBoolean();
  private final TakeoverTerms terms = new TakeoverTerms(SteadyClock::millis);
  private ScheduledExecutorService executor;
  private PeerKeys keys;
  private volatile boolean withdrawn;

  // The executor's thread alone:
  private final Map<HostId, Told> told = new HashMap<>();

  /** What a host was last told in its session and our term. */
  private static final class Told {
    final long session;
    final long term;
    List<EndpointPolicy> policies;
    HostSettings settings;
    int keyId;

    Told(long session, long term) {
      this.session = session;
      this.term = term;
    }
  }

  @Activate
  void activate() {
    keys = new PeerKeys(storage);
    executor = Executors.newSingleThreadScheduledExecutor(groupedThreads("sluice", "policy", log));
    leadership.addListener(leadershipListener);
    leadership.runForLeadership(TOPIC);
    settings.addListener(WITHDRAW_STAGE, this);
    endpoints.epoch().addListener(changeListener);
    tenants.epoch().addListener(changeListener);
    flows.epoch().addListener(changeListener);
    executor.scheduleWithFixedDelay(this::publishSoon, 0, ROTATION_CHECK_SECONDS, SECONDS);
  }

  @Deactivate
  void deactivate() {
    flows.epoch().removeListener(changeListener);
    tenants.epoch().removeListener(changeListener);
    endpoints.epoch().removeListener(changeListener);
    settings.removeListener(this);
    leadership.removeListener(leadershipListener);
    leadership.withdraw(TOPIC);
    executor.shutdownNow();
  }

  @Override
  public void changed(Parameters before, Parameters now) {
    publishSoon();
  }

  @Override
  public void withdraw() {
    withdrawn = true;
    keys.clear();
  }

  private void publishSoon() {
    if (due.compareAndSet(false, true)) {
      executor.execute(this::publish);
    }
  }

  private void publish() {
    due.set(false);
    if (withdrawn) {
      return;
    }
    try {
      Leadership leads = leadership.getLeadership(TOPIC);
      if (leads == null || !cluster.getLocalNode().id().equals(leads.leaderNodeId())) {
        told.clear();
        return;
      }
      long term = terms.term(TOPIC, leads.leader().term());
      // In this order: the endpoints of a host with a session are known.
      Map<HostId, Long> sessions = endpoints.sessions();
      PolicyBook policies = new PolicyBook(endpoints.reported(), tenants);
      HostSettings hostSettings = hostSettings(settings.parameters(), flows.isWanted());
      PeerKeys.PeerKey key = keys.current(System.currentTimeMillis());
      told.keySet().retainAll(sessions.keySet());
      sessions.forEach(
          (host, session) -> {
            Told before = told.get(host);
            if (before == null || before.session != session || before.term != term) {
              before = new Told(session, term); // A new session, or a new leader, says it all.
              told.put(host, before);
            }
            tell(host, before, policies.ofHost(host), hostSettings, key);
          });
    } catch (RuntimeException e) {
      log.error("Hosts keep the policies that they have; the next change tries again", e);
    }
  }

  private void tell(
      HostId host,
      Told before,
      List<EndpointPolicy> policies,
      HostSettings hostSettings,
      PeerKeys.PeerKey key) {
    if (!policies.equals(before.policies)) {
      before.policies = policies;
      link.send(host, before.term, DownlinkMessage.ofPolicies(policies));
    }
    if (!hostSettings.equals(before.settings)) {
      before.settings = hostSettings;
      link.send(host, before.term, DownlinkMessage.ofSettings(hostSettings));
    }
    if (key.id != before.keyId) {
      before.keyId = key.id;
      link.send(host, before.term, DownlinkMessage.ofPeerKey(LinkKey.of(key.id, key.key)));
    }
  }

  private static HostSettings hostSettings(Parameters parameters, boolean flowsWanted) {
    return HostSettings.of(
            parameters.enforcement(),
            parameters.law() == Parameters.Law.SLUICE
                ? HostSettings.Law.TWO_TIME_SCALE
                : HostSettings.Law.SDN_GCC,
            (int) TimeUnit.MILLISECONDS.toMicros(parameters.controlPeriodMillis()),
            TAU_OF_THE_AGENT,
            parameters.noticesAlone(),
            noticeTransport(parameters))
        .toBuilder()
        .reportFlows(flowsWanted)
        .handshakeWaitMicros(flowsWanted ? HANDSHAKE_WAIT_MICROS : 0)
        .reportLosses(flowsWanted && parameters.lossAnswers())
        .signConnections(flowsWanted && parameters.switchFlows())
        .build();
  }

  private static HostSettings.NoticeTransport noticeTransport(Parameters parameters) {
    if (!parameters.noticesInBand()) {
      return HostSettings.NoticeTransport.LINK;
    }
    return parameters.noticeFormat() == Parameters.NoticeFormat.V1
        ? HostSettings.NoticeTransport.IN_BAND_V1
        : HostSettings.NoticeTransport.IN_BAND_PAPER;
  }
}

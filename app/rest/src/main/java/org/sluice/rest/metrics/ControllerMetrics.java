// SPDX-License-Identifier: Apache-2.0
package org.sluice.rest.metrics;

import io.prometheus.metrics.config.EscapingScheme;
import io.prometheus.metrics.expositionformats.PrometheusTextFormatWriter;
import java.io.IOException;
import java.io.OutputStream;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.sluice.api.BandwidthService;
import org.sluice.api.CertificateService;
import org.sluice.api.Endpoint;
import org.sluice.api.Finding;
import org.sluice.api.Host;
import org.sluice.api.HostId;
import org.sluice.api.JournalEntry;
import org.sluice.api.PortStatus;
import org.sluice.api.Tenant;
import org.sluice.api.TenantId;
import org.sluice.api.TenantRates;
import org.sluice.api.counters.SwitchCounters;
import org.sluice.api.deadline.DeadlineSummary;
import org.sluice.api.deadline.FlowState;
import org.sluice.api.policy.HostHints;
import org.sluice.api.queue.ActiveCap;

/**
 * One collection: add what is known, then write it. Series are those of tenants, of hosts, of
 * switches, and of ports under control, which are as many as are congested at once.
 */
public final class ControllerMetrics {
  /** Of what {@link #write} writes. */
  public static final String CONTENT_TYPE = PrometheusTextFormatWriter.CONTENT_TYPE;

  private static final double MICROS_PER_SECOND = 1e6;

  private final Families families = new Families();

  /** How many there are, and of those under control what was decided about them. */
  public void addPorts(List<PortStatus> ports) {
    families.gauge("sluice_ports", "Switch ports that are known.", ports.size());
    families.gauge(
        "sluice_ports_controlled",
        "Switch ports that are congested, and under control.",
        ports.stream().filter(PortStatus::congested).count());
    ports.stream().filter(PortStatus::congested).forEach(this::addControlled);
  }

  private void addControlled(PortStatus port) {
    String id = port.id().toString();
    String[] labels = {"port", id, "name", port.name().orElse(id)};
    families.rate(
        "sluice_controlled_port_capacity", "Capacity.", port.capacityBitsPerSecond(), labels);
    families.rate(
        "sluice_controlled_port_load",
        "Rate at which endpoints' packets were observed to pass it in the last second.",
        port.loadBitsPerSecond(),
        labels);
    families.counter(
        "sluice_controlled_port_carried_bytes",
        "Endpoints' packets that were observed to pass it.",
        port.carriedBytes(),
        labels);
    families.rate(
        "sluice_controlled_port_unit_share",
        "What weight 1 may send through it.",
        port.unitShareBitsPerSecond(),
        labels);
    families.gauge(
        "sluice_controlled_port_ce_ratio",
        "Part of its packets that were marked in the last control period.",
        port.ceShare(),
        labels);
    families.gauge(
        "sluice_controlled_port_active_endpoints",
        "Endpoints that send through it.",
        port.activeEndpoints(),
        labels);
    families.gauge(
        "sluice_controlled_port_active_weight",
        "Sum of the weights of those.",
        port.activeWeight(),
        labels);
  }

  /** Endpoints by tenant, all and those that a congested port limits. */
  public void addEndpoints(List<Endpoint> endpoints) {
    Map<TenantId, Integer> all = new HashMap<>();
    Map<TenantId, Integer> limited = new HashMap<>();
    Map<HostId, Integer> unseen = new HashMap<>();
    for (Endpoint endpoint : endpoints) {
      unseen.merge(endpoint.id().host(), endpoint.attachment().isEmpty() ? 1 : 0, Integer::sum);
      all.merge(endpoint.tenant(), 1, Integer::sum);
      limited.merge(endpoint.tenant(), endpoint.limits().isEmpty() ? 0 : 1, Integer::sum);
    }
    all.forEach(
        (tenant, count) ->
            families.gauge(
                "sluice_tenant_endpoints",
                "Endpoints that are known.",
                count,
                "tenant",
                tenant.name()));
    limited.forEach(
        (tenant, count) ->
            families.gauge(
                "sluice_tenant_limited_endpoints",
                "Endpoints that a congested port limits.",
                count,
                "tenant",
                tenant.name()));
    unseen.forEach(
        (host, count) ->
            families.gauge(
                "sluice_host_unseen_endpoints",
                "Endpoints that the host reports and that no switch has seen.",
                count,
                "host",
                host.name()));
  }

  /** What a tenant is due, and what it gets. */
  public void addTenant(Tenant tenant, TenantRates rates) {
    String name = tenant.id().name();
    families.gauge("sluice_tenant_weight", "Weight.", tenant.weight(), "tenant", name);
    families.rate(
        "sluice_tenant_promised",
        "Sum of its guarantees; 0: none.",
        rates.promisedBitsPerSecond(),
        "tenant",
        name);
    families.rate(
        "sluice_tenant_delivered",
        "Rate at which its endpoints' packets arrived in the last second.",
        rates.deliveredBitsPerSecond(),
        "tenant",
        name);
    families.counter(
        "sluice_tenant_delivered_bytes",
        "Its endpoints' packets that arrived.",
        rates.deliveredBytes(),
        "tenant",
        name);
  }

  /** Until when what this node shows and trusts on the agent link is valid. */
  public void addCertificates(CertificateService certificates) {
    certificates.certificateNotAfter().ifPresent(end -> addCertificate("controller", end));
    certificates.authorityNotAfter().ifPresent(end -> addCertificate("authority", end));
  }

  private void addCertificate(String of, Instant end) {
    families.gauge(
        "sluice_certificate_not_after_timestamp_seconds",
        "When a certificate of this node's end of the agent link ends: its own, the last"
            + " authority for hosts.",
        end.getEpochSecond(),
        "of",
        of);
  }

  /** Whether hosts' agents are there, and whether something is wrong at them. */
  public void addHost(Host host) {
    String id = host.id().toString();
    families.gauge(
        "sluice_host_connected",
        "Whether the agent has a session with this node.",
        host.connected() ? 1 : 0,
        "host",
        id);
    families.gauge(
        "sluice_host_stopped",
        "Whether the agent announced that it is stopped.",
        host.stopped() ? 1 : 0,
        "host",
        id);
    families.gauge(
        "sluice_host_quarantined",
        "Whether its reports are left out because it exceeded a limit.",
        host.quarantine().isEmpty() ? 0 : 1,
        "host",
        id);
    families.gauge(
        "sluice_host_conditions",
        "Lasting faults that the agent reports.",
        host.conditions().size(),
        "host",
        id);
    families.gauge(
        "sluice_host_missing_features",
        "Features that the host's kernel lacks.",
        host.missingFeatures().size(),
        "host",
        id);
    host.certificateNotAfter()
        .ifPresent(
            end ->
                families.gauge(
                    "sluice_host_certificate_not_after_timestamp_seconds",
                    "When the certificate ends that the agent showed last.",
                    end.getEpochSecond(),
                    "host",
                    id));
  }

  /** How a switch's counters are read. */
  public void addSwitch(SwitchCounters counters) {
    String datapath = counters.datapath();
    families.gauge(
        "sluice_switch_connected",
        "Whether its counters can be read directly.",
        counters.connected() ? 1 : 0,
        "switch",
        datapath);
    families.gauge(
        "sluice_switch_reply_seconds",
        "Within this 99 % of the last readings were answered; 0: none yet.",
        counters.replyMicrosP99() / MICROS_PER_SECOND,
        "switch",
        datapath);
  }

  /** Flows with deadlines by state. */
  public void addDeadlines(DeadlineSummary deadlines) {
    Map<FlowState, Long> sums = new EnumMap<>(FlowState.class);
    for (FlowState state : FlowState.values()) {
      sums.put(state, 0L);
    }
    deadlines.counts().values().forEach(one -> one.forEach((s, n) -> sums.merge(s, n, Long::sum)));
    sums.forEach(
        (state, count) -> {
          if (state == FlowState.WAITING || state == FlowState.SENDING) {
            families.gauge(
                "sluice_deadline_flows",
                "Flows with a deadline that have not ended.",
                count,
                "state",
                state.text());
          } else {
            families.counter(
                "sluice_deadline_flows_ended",
                "Flows with a deadline that have ended.",
                count,
                "state",
                state.text());
          }
        });
  }

  /** Caps of background flows that are in force. */
  public void addCaps(List<ActiveCap> caps) {
    Map<ActiveCap.Enforcer, Integer> counts = new EnumMap<>(ActiveCap.Enforcer.class);
    for (ActiveCap.Enforcer enforcer : ActiveCap.Enforcer.values()) {
      counts.put(enforcer, 0);
    }
    caps.forEach(cap -> counts.merge(cap.enforcer(), 1, Integer::sum));
    counts.forEach(
        (enforcer, count) ->
            families.gauge(
                "sluice_background_caps",
                "Caps of background flows in force.",
                count,
                "enforcer",
                enforcer.name().toLowerCase(Locale.ROOT).replace('_', '-')));
  }

  /**
   * Whether policies are in force, and what hosts made of their hints, where they are evaluated.
   */
  public void addPolicies(boolean isAnyInForce, List<HostHints> hosts) {
    families.gauge(
        "sluice_policies_in_force",
        "Whether congestion control policies are in force.",
        isAnyInForce ? 1 : 0);
    for (HostHints.State state : HostHints.State.values()) {
      families.gauge(
          "sluice_hinted_hosts",
          "Hosts that policies decide about, by what they made of their hints.",
          hosts.stream().filter(host -> host.state() == state).count(),
          "state",
          state.name().toLowerCase(Locale.ROOT).replace('_', '-'));
    }
  }

  /** Tenants of Kubernetes, and whether its API is away. */
  public void addBandwidths(BandwidthService bandwidths) {
    families.gauge(
        "sluice_kubernetes_tenants",
        "Tenants that TenantBandwidths of a Kubernetes cluster make.",
        bandwidths.tenants());
    families.gauge(
        "sluice_kubernetes_away_seconds",
        "For how long the cluster's API has been away; 0: it answers, or another node follows it.",
        bandwidths
            .awaySince()
            .map(since -> Math.max(1, Duration.between(since, Instant.now()).toSeconds()))
            .orElse(0L));
  }

  /** Findings of the doctor, by severity. */
  public void addFindings(List<Finding> findings) {
    for (Finding.Severity severity : Finding.Severity.values()) {
      families.gauge(
          "sluice_findings",
          "Present findings of the doctor.",
          findings.stream().filter(one -> one.severity() == severity).count(),
          "severity",
          severity.name().toLowerCase(Locale.ROOT));
    }
  }

  /** How much was decided: the newest entries, newest first. */
  public void addJournal(List<JournalEntry> newest) {
    families.counter(
        "sluice_journal_entries",
        "Decisions that this node has recorded.",
        newest.isEmpty() ? 0 : newest.get(0).sequence() + 1);
  }

  /** Writes it in the text format, version 0.0.4. */
  public void write(OutputStream out) throws IOException {
    PrometheusTextFormatWriter.create()
        .write(out, families.snapshots(), EscapingScheme.UNDERSCORE_ESCAPING);
  }
}

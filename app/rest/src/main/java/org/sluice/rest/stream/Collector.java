// SPDX-License-Identifier: Apache-2.0
package org.sluice.rest.stream;

import java.math.BigInteger;
import java.security.SecureRandom;
import java.util.AbstractMap.SimpleImmutableEntry;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.sluice.api.DoctorService;
import org.sluice.api.Endpoint;
import org.sluice.api.EndpointId;
import org.sluice.api.EndpointService;
import org.sluice.api.Finding;
import org.sluice.api.Host;
import org.sluice.api.HostDirectory;
import org.sluice.api.JournalEntry;
import org.sluice.api.JournalService;
import org.sluice.api.PortId;
import org.sluice.api.PortService;
import org.sluice.api.PortStatus;
import org.sluice.api.SluiceException;
import org.sluice.api.Tenant;
import org.sluice.api.TenantAdminService;
import org.sluice.api.TenantId;
import org.sluice.api.cluster.ClusterService;
import org.sluice.api.cluster.ClusterStatus;
import org.sluice.api.counters.CounterService;
import org.sluice.api.counters.CounterSource;
import org.sluice.api.deadline.FlowAdminService;
import org.sluice.api.deadline.FlowStatus;
import org.sluice.api.topology.NetworkTopology;
import org.sluice.api.topology.TopologyService;
import org.sluice.json.ClusterDto;
import org.sluice.json.FindingDto;
import org.sluice.json.HostDto;
import org.sluice.json.TopologyDto;

/**
 * Evaluates the services and notes what is another than at the last evaluation. Not thread-safe.
 */
final class Collector {
  private static final SecureRandom RANDOM = new SecureRandom();
  private static final int EPOCH_BITS = 64;

  private final Sources sources;
  private final long rareNanos;
  private final String epoch = new BigInteger(EPOCH_BITS, RANDOM).toString(Character.MAX_RADIX);

  private Document<NetworkTopology> topology = Document.none("topology", TopologyDto::new);
  private Document<List<Host>> hosts =
      Document.none("hosts", all -> Map.of("rows", mapped(all, HostDto::new)));
  private Document<List<Finding>> findings =
      Document.none("findings", all -> Map.of("rows", mapped(all, FindingDto::new)));
  private Document<ClusterStatus> cluster = Document.none("cluster", ClusterDto::new);
  private Table<TenantId, Tenant> tenants = Table.none(TableKind.TENANTS);
  private Table<PortId, Map.Entry<PortStatus, CounterSource>> ports = Table.none(TableKind.PORTS);
  private Table<EndpointId, Endpoint> endpoints = Table.none(TableKind.ENDPOINTS);
  private Table<Long, FlowStatus> flows = Table.none(TableKind.FLOWS);

  private Snapshot latest = new Snapshot(epoch, 0, List.of(), Cursor.NOTHING);
  private boolean looked;
  private long nextRareNanos;

  /**
   * One without a snapshot yet.
   *
   * @param rareNanos how often it evaluates what is rarely another one, or costs more to find out
   */
  Collector(Sources sources, long rareNanos) {
    this.sources = sources;
    this.rareNanos = rareNanos;
  }

  private static <T> List<Object> mapped(List<T> values, Function<T, Object> form) {
    return values.stream().map(form).collect(Collectors.toList());
  }

  /**
   * Evaluates everything.
   *
   * @return the last snapshot if everything is the same
   * @throws SluiceException of kind UNAVAILABLE if a service is away or cannot answer
   */
  Snapshot check(long nowNanos) throws SluiceException {
    long revision = latest.revision + 1;
    if (!looked || nowNanos - nextRareNanos >= 0) {
      nextRareNanos = nowNanos + rareNanos;
      topology = topology.with(sources.get(TopologyService.class).topology(), revision);
      hosts = hosts.with(sources.get(HostDirectory.class).hosts(), revision);
      findings = findings.with(sources.get(DoctorService.class).examine(), revision);
      cluster = cluster.with(sources.get(ClusterService.class).status(), revision);
    }
    looked = true;
    tenants =
        tenants.with(byId(sources.get(TenantAdminService.class).tenants(), Tenant::id), revision);
    ports = ports.with(portsNow(), revision);
    endpoints =
        endpoints.with(
            byId(sources.get(EndpointService.class).endpoints(), Endpoint::id), revision);
    flows = flows.with(byId(sources.get(FlowAdminService.class).flows(), FlowStatus::id), revision);
    long newest = newestJournalSequence();
    List<Section> sections =
        List.of(topology, tenants, hosts, findings, cluster, ports, endpoints, flows);
    boolean changed =
        newest != latest.newestJournalSequence
            || sections.stream().anyMatch(section -> section.changedAt() == revision);
    latest = new Snapshot(epoch, changed ? revision : latest.revision, sections, newest);
    return latest;
  }

  private static <K, T> Map<K, T> byId(List<T> values, Function<T, K> id) {
    Map<K, T> found = new LinkedHashMap<>(2 * values.size());
    values.forEach(value -> found.put(id.apply(value), value));
    return found;
  }

  private Map<PortId, Map.Entry<PortStatus, CounterSource>> portsNow() throws SluiceException {
    Map<String, CounterSource> counters = sources.get(CounterService.class).sources();
    Map<PortId, Map.Entry<PortStatus, CounterSource>> found = new LinkedHashMap<>();
    for (PortStatus port : sources.get(PortService.class).ports()) {
      CounterSource from = counters.getOrDefault(port.id().datapath(), CounterSource.NONE);
      found.put(port.id(), new SimpleImmutableEntry<>(port, from));
    }
    return found;
  }

  private long newestJournalSequence() throws SluiceException {
    return sources.get(JournalService.class).entries(Cursor.NOTHING, Optional.empty(), 1).stream()
        .mapToLong(JournalEntry::sequence)
        .findFirst()
        .orElse(Cursor.NOTHING);
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.registry;

import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.sluice.api.EndpointId;
import org.sluice.api.HostId;
import org.sluice.api.IpAddress;
import org.sluice.api.JournalEntry;
import org.sluice.api.link.AgentLink;
import org.sluice.api.link.HostEvent;
import org.sluice.api.link.HostHello;
import org.sluice.api.link.PeerPublicKey;
import org.sluice.api.link.ReportedEndpoint;
import org.sluice.api.link.UplinkHandler;
import org.sluice.core.journal.JournalWriter;
import org.sluice.core.spi.Epoch;

/**
 * Follows the endpoints that agents report. Every agent reports to every controller node, so that
 * each node knows all of it without the others.
 */
public final class EndpointRegistry implements ReportedEndpoints, UplinkHandler {
  private static final Logger log = LoggerFactory.getLogger(EndpointRegistry.class);

  private final AgentLink link;
  private final JournalWriter journal;

  private final EndpointChanges changes = new EndpointChanges();
  private final EndpointClaims claims = new EndpointClaims();
  private final Map<EndpointId, ReportedEndpoint> held = new ConcurrentSkipListMap<>();
  private final Map<EndpointId, Map<IpAddress, String>> refused = new ConcurrentSkipListMap<>();
  private final Map<IpAddress, ReportedEndpoint> holders = new ConcurrentHashMap<>();

  /** Made when it is read. */
  private volatile EndpointListing listing = EndpointListing.EMPTY;

  private final Epoch decisionEpoch = new Epoch();
  private volatile Map<IpAddress, EndpointId> decisions = Map.of();
  private final Map<HostId, Long> sessions = new ConcurrentHashMap<>();
  private final Map<HostId, PeerPublicKey> peerKeys = new ConcurrentHashMap<>();
  private final Set<HostId> forgotten = ConcurrentHashMap.newKeySet();
  private long lastSession;

  public EndpointRegistry(AgentLink link, JournalWriter journal) {
    this.link = link;
    this.journal = journal;
  }

  public void start() {
    link.addListener(this);
  }

  public void stop() {
    link.removeListener(this);
  }

  @Override
  public Epoch epoch() {
    return changes.epoch();
  }

  @Override
  public Optional<Set<EndpointId>> changedSince(long epoch) {
    return changes.since(epoch);
  }

  @Override
  public List<ReportedEndpoint> reported() {
    EndpointListing now = listing.at(changes.epoch().get(), held::values);
    listing = now;
    return now.endpoints();
  }

  @Override
  public Optional<ReportedEndpoint> endpoint(EndpointId id) {
    return Optional.ofNullable(held.get(id));
  }

  @Override
  public Map<EndpointId, Map<IpAddress, String>> refused() {
    return Collections.unmodifiableMap(refused);
  }

  /** What there is against claims, from now on. */
  public synchronized void setRules(ClaimRules rules) {
    Map<EndpointId, Map<IpAddress, String>> before = new HashMap<>(refused);
    claims.setRules(rules);
    publish();
    refused.forEach(
        (endpoint, ips) ->
            ips.forEach(
                (ip, reason) -> {
                  if (!before.getOrDefault(endpoint, Map.of()).containsKey(ip)) {
                    log.warn("Endpoint {} does not get {} any more: {}", endpoint, ip, reason);
                    journal.write(
                        JournalEntry.Kind.REFUSED,
                        endpoint,
                        "Address " + ip + " is its own no longer",
                        reason);
                  }
                }));
  }

  /**
   * What the cluster has decided.
   *
   * @param holders by address; not changed any more
   */
  public synchronized void setDecisions(Map<IpAddress, EndpointId> holders) {
    claims.setDecisions(holders);
    publish();
    if (!holders.equals(decisions)) {
      decisions = holders;
      decisionEpoch.advance();
    }
  }

  /** Advances whenever the cluster has decided otherwise than before. */
  public Epoch decisionEpoch() {
    return decisionEpoch;
  }

  /**
   * Whether an endpoint holds an address by the cluster's decision, not only until there is one.
   */
  public boolean isDecided(IpAddress ip, EndpointId holder) {
    return holder.equals(decisions.get(ip));
  }

  /** Whether a host has addresses by the cluster's decision, whoever has seen it. */
  boolean isDecided(HostId host) {
    return decisions.values().stream().anyMatch(holder -> holder.host().equals(host));
  }

  /** The public keys of connected hosts' agents. */
  public Map<HostId, PeerPublicKey> peerKeys() {
    return Map.copyOf(peerKeys);
  }

  /**
   * What is to be decided for the cluster: by host that has reported, whose its addresses are.
   *
   * @param yields whether what was decided for a host yields to those who are there
   * @param formers whose addresses were, and are again once their host is there and claims them
   */
  public synchronized Map<HostId, Map<EndpointId, Set<IpAddress>>> decide(
      Predicate<HostId> yields, Map<IpAddress, EndpointId> formers) {
    return claims.decide(yields, formers);
  }

  @Override
  public Map<HostId, Long> sessions() {
    return Map.copyOf(sessions);
  }

  @Override
  public Optional<ReportedEndpoint> holder(IpAddress ip) {
    return Optional.ofNullable(holders.get(ip));
  }

  @Override
  public synchronized void sessionOpened(HostHello hello) {
    HostId host = hello.host();
    forgotten.remove(host);
    report(host, hello.endpoints());
    peerKeys.remove(host);
    hello.peerPublicKey().ifPresent(key -> peerKeys.put(host, key));
    sessions.put(host, ++lastSession);
    advance(host);
  }

  @Override
  public synchronized void eventReported(HostEvent event) {
    if (event.kind() == HostEvent.Kind.ENDPOINTS_CHANGED) {
      report(event.host(), event.endpoints());
      publish();
    }
  }

  @Override
  public synchronized void sessionClosed(HostId host) {
    claims.away(host);
    sessions.remove(host);
    peerKeys.remove(host);
    advance(host);
  }

  /** Has a host that is away no endpoints, and hold nothing. */
  synchronized void forget(HostId host) {
    if (!sessions.containsKey(host)) {
      forgotten.add(host);
      claims.forget(host);
      publish();
    }
  }

  /** Whether a host was {@link #forget forgotten} and is not back. */
  public boolean isForgotten(HostId host) {
    return forgotten.contains(host);
  }

  private void report(HostId host, List<ReportedEndpoint> endpoints) {
    for (EndpointClaims.Conflict conflict : claims.report(host, endpoints)) {
      EndpointId claimant = conflict.claimant;
      log.warn("Endpoint {} does not get {}: {}", claimant, conflict.ip, conflict.reason);
      journal.write(
          JournalEntry.Kind.REFUSED,
          claimant,
          "Address " + conflict.ip + " is not taken over",
          conflict.reason);
    }
  }

  /** A host's session is another. */
  private void advance(HostId host) {
    Set<EndpointId> changed = update();
    changed.addAll(claims.of(host));
    changes.advance(changed);
  }

  private void publish() {
    Set<EndpointId> changed = update();
    if (!changed.isEmpty()) {
      changes.advance(changed);
    }
  }

  /** Brings what others see to what there is, and returns what is another than before. */
  private Set<EndpointId> update() {
    Set<EndpointId> changed = new TreeSet<>();
    Set<IpAddress> lost = new HashSet<>();
    Map<IpAddress, ReportedEndpoint> got = new HashMap<>();
    for (EndpointId id : claims.takeTouched()) {
      Optional<ReportedEndpoint> now = claims.held(id);
      ReportedEndpoint before = now.isPresent() ? held.put(id, now.get()) : held.remove(id);
      boolean isOther = !now.equals(Optional.ofNullable(before));
      if (isOther) {
        lost.addAll(before == null ? Set.of() : before.ips());
        now.ifPresent(endpoint -> endpoint.ips().forEach(ip -> got.put(ip, endpoint)));
      }
      Map<IpAddress, String> refusedNow = claims.refused(id);
      Map<IpAddress, String> refusedBefore =
          refusedNow.isEmpty() ? refused.remove(id) : refused.put(id, refusedNow);
      if (isOther || !refusedNow.equals(refusedBefore == null ? Map.of() : refusedBefore)) {
        changed.add(id);
      }
    }
    holders.putAll(got); // First: there is no moment at which nobody holds an address that moves.
    lost.removeAll(got.keySet());
    lost.forEach(holders::remove);
    return changed;
  }
}

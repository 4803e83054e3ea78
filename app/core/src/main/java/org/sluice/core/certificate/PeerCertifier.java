// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.certificate;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.NANOSECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.sluice.api.HostId;
import org.sluice.api.IpAddress;
import org.sluice.api.link.AgentLink;
import org.sluice.api.link.DownlinkMessage;
import org.sluice.api.link.PeerCertificate;
import org.sluice.api.link.PeerPublicKey;
import org.sluice.api.link.ReportedEndpoint;
import org.sluice.core.registry.EndpointRegistry;
import org.sluice.core.runtime.CoalescedTask;
import org.sluice.core.runtime.Execution;
import org.sluice.core.runtime.TakeoverTerms;
import org.sluice.core.setting.Topics;
import org.sluice.core.spi.Leadership;
import org.sluice.core.spi.ReplicatedStorage;

/**
 * Certifies to agents whose addresses are: each host gets the authority's public keys, and for
 * every address that the cluster has decided to be one of its endpoints' a certificate to show to
 * other hosts. One node does, the leader of {@value Topics#CLUSTER}. Each certificate is signed
 * once, in the background, some at a time: those of addresses that have none before those that are
 * due for the authority's new key.
 */
public final class PeerCertifier {
  private static final Logger log = LoggerFactory.getLogger(PeerCertifier.class);
  private static final long ROTATION_CHECK_SECONDS = 10;

  /** Signed at a time, about a millisecond each: so long newer addresses wait. */
  private static final int BATCH = 32;

  /** Between two batches: half a processor. */
  private static final long PAUSE_MILLIS = 30;

  /** Likewise, when only those are left that are due for a new key: nobody waits for them. */
  private static final long RENEWAL_PAUSE_MILLIS = 100;

  private final AgentLink link;
  private final EndpointRegistry endpoints;
  private final Leadership leadership;
  private final Execution execution;
  private final PeerAuthority authority;
  private final TakeoverTerms terms;
  private final LongSupplier clockMillis;

  private final Runnable certifySoon;
  private ScheduledExecutorService executor;
  private volatile boolean withdrawn;

  // Executor thread only:
  private final Map<HostId, Sent> sent = new HashMap<>();
  private final Map<IpAddress, PeerCertificate> certificates = new HashMap<>();

  /** What a host was sent in its session and our term. */
  private static final class Sent {
    final long session;
    final long term;
    int authorityKeyId;

    /** By address: when its certificate was issued. */
    final Map<IpAddress, Long> issuedMillis = new HashMap<>();

    /** To be sent now. */
    final List<PeerCertificate> waiting = new ArrayList<>();

    Sent(long session, long term) {
      this.session = session;
      this.term = term;
    }

    void put(PeerCertificate certificate) {
      Long before = issuedMillis.put(certificate.ip(), certificate.issuedMillis());
      if (before == null || before != certificate.issuedMillis()) {
        waiting.add(certificate);
      }
    }
  }

  /** An address whose certificate is to be signed. */
  private static final class Unsigned {
    final IpAddress ip;
    final PeerPublicKey key;
    final Sent to;

    Unsigned(IpAddress ip, PeerPublicKey key, Sent to) {
      this.ip = ip;
      this.key = key;
      this.to = to;
    }
  }

  /**
   * One that does nothing yet.
   *
   * @param clockMillis the cluster's steady time, ms since the epoch
   */
  public PeerCertifier(
      AgentLink link,
      EndpointRegistry endpoints,
      Leadership leadership,
      ReplicatedStorage storage,
      Execution execution,
      LongSupplier clockMillis) {
    this.link = link;
    this.endpoints = endpoints;
    this.leadership = leadership;
    this.execution = execution;
    this.clockMillis = clockMillis;
    authority = new PeerAuthority(storage, clockMillis);
    terms = new TakeoverTerms(clockMillis);
    certifySoon =
        new CoalescedTask(
            (command, delay) -> this.executor.schedule(command, delay, NANOSECONDS),
            this::certify,
            execution.clock()::nanoTime);
  }

  public void start() {
    executor = execution.sequential("peer-certificates");
    leadership.epoch().addListener(certifySoon);
    endpoints.epoch().addListener(certifySoon);
    endpoints.decisionEpoch().addListener(certifySoon);
    executor.scheduleWithFixedDelay(certifySoon, 0, ROTATION_CHECK_SECONDS, SECONDS);
  }

  public void stop() {
    endpoints.decisionEpoch().removeListener(certifySoon);
    endpoints.epoch().removeListener(certifySoon);
    leadership.epoch().removeListener(certifySoon);
    executor.shutdownNow();
  }

  /**
   * Reads the keys.
   *
   * @throws org.sluice.core.spi.StorageUnavailableException if the cluster's store, where they are,
   *     does not answer
   */
  public void checkStore() {
    authority.newest();
  }

  /** Certifies nothing any more, and forgets the keys. */
  public void withdraw() {
    withdrawn = true;
    authority.clear();
  }

  private void certify() {
    if (withdrawn) {
      return;
    }
    try {
      OptionalLong leadershipTerm = leadership.localTerm(Topics.CLUSTER);
      if (leadershipTerm.isEmpty()) {
        // Another leader issues what is later than all of this.
        authority.resign();
        certificates.clear();
        sent.clear();
        return;
      }
      certify(terms.term(Topics.CLUSTER, leadershipTerm.getAsLong()));
    } catch (RuntimeException e) {
      if (!withdrawn) {
        log.error("Certificates could not be issued; agents keep theirs until the next change", e);
      }
    }
  }

  private void certify(long term) {
    PeerAuthority.Keys keys = authority.current(clockMillis.getAsLong());
    Map<HostId, Long> sessions = endpoints.sessions();
    Map<HostId, PeerPublicKey> peerKeys = endpoints.peerKeys();
    sent.keySet().retainAll(peerKeys.keySet());
    peerKeys.keySet().forEach(host -> greet(host, sessions.getOrDefault(host, 0L), term, keys));
    Map<HostId, List<Unsigned>> without = new LinkedHashMap<>();
    Map<HostId, List<Unsigned>> aged = new LinkedHashMap<>();
    Set<IpAddress> held = new HashSet<>();
    for (ReportedEndpoint endpoint : endpoints.reported()) {
      held.addAll(endpoint.ips());
      HostId host = endpoint.id().host();
      Sent to = sent.get(host);
      if (to == null) {
        continue;
      }
      PeerPublicKey key = peerKeys.get(host);
      for (IpAddress ip : endpoint.ips()) {
        if (!endpoints.isDecided(ip, endpoint.id())) {
          continue;
        }
        PeerCertificate known = certificates.get(ip);
        if (known == null || !known.key().equals(key)) {
          without.computeIfAbsent(host, h -> new ArrayList<>()).add(new Unsigned(ip, key, to));
        } else if (known.authorityKeyId() != keys.id()) {
          aged.computeIfAbsent(host, h -> new ArrayList<>()).add(new Unsigned(ip, key, to));
        } else {
          to.put(known);
        }
      }
    }
    certificates.keySet().retainAll(held);
    sent.values().forEach(each -> each.issuedMillis.keySet().retainAll(held));
    List<Unsigned> all = inTurn(without.values());
    boolean isUrgent = all.size() > BATCH;
    all.addAll(inTurn(aged.values()));
    try {
      sign(all.subList(0, Math.min(all.size(), BATCH)));
    } finally {
      sent.forEach(this::send);
    }
    if (all.size() > BATCH) {
      executor.schedule(certifySoon, isUrgent ? PAUSE_MILLIS : RENEWAL_PAUSE_MILLIS, MILLISECONDS);
    }
  }

  /**
   * One of each host after the other, as many as a batch needs and some: nobody waits for a host
   * that has very many.
   */
  private static List<Unsigned> inTurn(Collection<List<Unsigned>> byHost) {
    List<Unsigned> all = new ArrayList<>();
    int most = byHost.stream().mapToInt(List::size).max().orElse(0);
    for (int i = 0; i < most && all.size() <= BATCH; i++) {
      for (List<Unsigned> ofHost : byHost) {
        if (i < ofHost.size()) {
          all.add(ofHost.get(i));
        }
      }
    }
    return all;
  }

  /** Agents must know a key before they get certificates by it. */
  private void greet(HostId host, long session, long term, PeerAuthority.Keys keys) {
    Sent before = sent.get(host);
    if (before == null || before.session != session || before.term != term) {
      before = new Sent(session, term); // A new session or leader: all of it.
      sent.put(host, before);
    }
    if (before.authorityKeyId != keys.id()) {
      before.authorityKeyId = keys.id();
      link.send(host, term, DownlinkMessage.ofPeerAuthority(keys.publicKeys()));
    }
  }

  private void sign(List<Unsigned> batch) {
    for (Unsigned each : batch) {
      PeerCertificate certificate = authority.certify(each.ip, each.key);
      certificates.put(each.ip, certificate);
      each.to.put(certificate);
    }
  }

  private void send(HostId host, Sent to) {
    if (!to.waiting.isEmpty()) {
      link.send(host, to.term, DownlinkMessage.ofPeerCertificates(to.waiting));
      to.waiting.clear();
    }
  }
}

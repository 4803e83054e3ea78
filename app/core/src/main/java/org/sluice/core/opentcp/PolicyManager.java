// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.opentcp;

import static java.util.concurrent.TimeUnit.SECONDS;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.sluice.api.Expectation;
import org.sluice.api.HostId;
import org.sluice.api.SluiceException;
import org.sluice.api.link.TcpHintReport;
import org.sluice.api.policy.HostHints;
import org.sluice.api.policy.PolicyFinding;
import org.sluice.api.policy.PolicyPreview;
import org.sluice.api.policy.PolicyRevision;
import org.sluice.api.policy.PolicyService;
import org.sluice.api.policy.PolicySet;
import org.sluice.core.inbox.EngineInbox;
import org.sluice.core.runtime.Clock;
import org.sluice.engine.opentcp.Oracle;

/** Answers queries about policies, and stores what they change. Thread-safe. */
final class PolicyManager implements PolicyService {
  private static final Logger log = LoggerFactory.getLogger(PolicyManager.class);

  /** After so long a host that takes hints has answered. */
  private static final long ANSWER_NANOS = SECONDS.toNanos(10);

  private static final double NANOS_PER_SECOND = 1e9;

  private final PolicyStore store;
  private final PolicyNetworks networks;
  private final HintReports reports;
  private final OracleLoop loop;
  private final EngineInbox inbox;
  private final Clock clock;
  private final BooleanSupplier isEvaluating;

  /**
   * The service.
   *
   * @param loop queried by way of the inbox
   * @param isEvaluating whether this node evaluates
   */
  PolicyManager(
      PolicyStore store,
      PolicyNetworks networks,
      HintReports reports,
      OracleLoop loop,
      EngineInbox inbox,
      Clock clock,
      BooleanSupplier isEvaluating) {
    this.store = store;
    this.networks = networks;
    this.reports = reports;
    this.loop = loop;
    this.inbox = inbox;
    this.clock = clock;
    this.isEvaluating = isEvaluating;
  }

  @Override
  public List<PolicyFinding> validate(PolicySet set) {
    PolicyNetwork network = networks.network(set);
    List<PolicyFinding> findings = new ArrayList<>(network.findings());
    findings.addAll(probe(network).validate(set));
    try {
      long interval = inbox.call(now -> loop.longestIntervalNanos(network));
      // A link that is not read in a cycle keeps its values for one more.
      if (interval > 2 * set.cycleNanos()) {
        findings.add(
            PolicyFinding.of(
                "cycleSeconds",
                String.valueOf(set.cycleNanos() / NANOS_PER_SECOND),
                "Counters of some links come only every " + interval / NANOS_PER_SECOND + " s",
                "Use at least half of that, or fast counters (sluice-switch-setup)"));
      }
    } catch (SluiceException e) {
      log.debug("The interval between counters is unknown: {}", e.toString());
    }
    return findings;
  }

  private static Oracle probe(PolicyNetwork network) {
    return new Oracle(network.topology(), (source, destination, hint) -> {});
  }

  private void requireRoom(PolicySet set, PolicyNetwork network) throws SluiceException {
    Optional<PolicyFinding> excess = probe(network).excess(set);
    if (excess.isPresent()) {
      throw SluiceException.conflict(
          excess.get().field(),
          excess.get().value(),
          "The set is too large for this network: " + excess.get().message(),
          excess.get().remedy());
    }
  }

  @Override
  public PolicyPreview dryRun(PolicySet set) throws SluiceException {
    PolicyNetwork network = networks.network(set);
    requireRoom(set, network);
    return inbox.call(now -> loop.dryRun(set, network));
  }

  @Override
  public Optional<PolicyPreview> state() throws SluiceException {
    return inbox.call(now -> loop.state());
  }

  @Override
  public boolean isEvaluating() {
    return isEvaluating.getAsBoolean();
  }

  @Override
  public Optional<PolicyFinding> fault() {
    if (store.history().isUnreadable()) {
      return Optional.of(
          PolicyFinding.of(
              "version",
              "",
              "The policies in force were written by another release, and cannot be read",
              "Apply policies anew, or use the release that wrote them"));
    }
    return loop.fault();
  }

  @Override
  public Optional<PolicyRevision> current() {
    return store.history().current();
  }

  @Override
  public PolicyRevision apply(PolicySet set, String author, Expectation<PolicyRevision> expected)
      throws SluiceException {
    requireRoom(set, networks.network(set));
    return store.apply(set, author, expected);
  }

  @Override
  public PolicyRevision rollBack(long revision, String author, Expectation<PolicyRevision> expected)
      throws SluiceException {
    return store.rollBack(revision, author, expected);
  }

  @Override
  public List<PolicyRevision> history() {
    return store.history().revisions();
  }

  @Override
  public List<HostHints> hosts() {
    long now = clock.nanoTime();
    List<HostHints> found = new ArrayList<>();
    new TreeMap<>(loop.shownHints()).forEach((host, sent) -> found.add(hints(host, sent, now)));
    return found;
  }

  private HostHints hints(HostId host, SentHints sent, long nowNanos) {
    HostHints.Builder hints =
        HostHints.builder(host)
            .group(sent.group)
            .revision(sent.revision)
            .hints(sent.hints)
            .leftOutGroups(sent.leftOutGroups);
    Optional<String> declined = reports.declined(host);
    if (declined.isPresent()) {
      return hints.state(HostHints.State.UNANSWERED).refused(List.of(declined.get())).build();
    }
    Optional<TcpHintReport> report = reports.find(host, sent.revision);
    if (report.isEmpty()) {
      boolean isLate = nowNanos - sent.sentNanos > ANSWER_NANOS;
      return hints.state(isLate ? HostHints.State.UNANSWERED : HostHints.State.SENT).build();
    }
    boolean isRefused = !report.get().refused().isEmpty();
    return hints
        .state(isRefused ? HostHints.State.REFUSED : HostHints.State.IN_FORCE)
        .applied(report.get().hints())
        .refused(report.get().refused())
        .build();
  }
}

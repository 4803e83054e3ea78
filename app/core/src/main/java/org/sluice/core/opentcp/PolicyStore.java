// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.opentcp;

import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.sluice.api.Expectation;
import org.sluice.api.JournalEntry;
import org.sluice.api.SluiceException;
import org.sluice.api.policy.PolicyRevision;
import org.sluice.api.policy.PolicySet;
import org.sluice.core.journal.JournalWriter;
import org.sluice.core.runtime.Clock;
import org.sluice.core.spi.Epoch;
import org.sluice.core.spi.ReplicatedMap;
import org.sluice.core.spi.ReplicatedMap.Versioned;
import org.sluice.core.spi.ReplicatedStorage;
import org.sluice.core.spi.StorageUnavailableException;

/**
 * Keeps policy sets over the cluster. The whole history is one entry of a consistent map, so that
 * of two changes at once each has its own revision.
 */
final class PolicyStore {
  private static final Logger log = LoggerFactory.getLogger(PolicyStore.class);
  private static final String STORE = "sluice-policies";
  private static final String ENTRY = "history";

  /** Each one lost means that another change was made: with a few nodes so many never come. */
  private static final int ATTEMPTS = 50;

  /** A cluster takes entries of up to 1 MiB. Old revisions go first. */
  static final int MOST_CHARACTERS = 900_000;

  /** A change to the history. */
  private interface Step {
    PolicyHistory apply(PolicyHistory before) throws SluiceException;
  }

  private final ReplicatedMap store;
  private final JournalWriter journal;
  private final Clock clock;
  private final Epoch epoch = new Epoch();
  private final ReplicatedMap.Listener listener = (key, before, now) -> show(now);
  private volatile PolicyHistory history = PolicyHistory.EMPTY;
  private long shownVersion = Long.MIN_VALUE;

  PolicyStore(ReplicatedStorage storage, JournalWriter journal, Clock clock) {
    this.store = storage.map(STORE);
    this.journal = journal;
    this.clock = clock;
  }

  void start() {
    store.addListener(listener);
    tryToReload();
  }

  void stop() {
    store.removeListener(listener);
  }

  /** Advances whenever {@link #history} answers otherwise. */
  Epoch epoch() {
    return epoch;
  }

  PolicyHistory history() {
    return history;
  }

  /**
   * Puts a set in force.
   *
   * @throws SluiceException CONFLICT if the store cannot hold it, UNAVAILABLE if it cannot now
   */
  PolicyRevision apply(PolicySet set, String author, Expectation<PolicyRevision> expected)
      throws SluiceException {
    PolicyRevision made = make(expected, before -> before.with(set, author, clock.instant()));
    record(made, "Policies " + set.name() + " are in force as revision " + made.number());
    return made;
  }

  /**
   * Puts an earlier revision's set in force again; 0: none.
   *
   * @throws SluiceException NOT_FOUND if it is not remembered, UNAVAILABLE if it cannot be stored
   */
  PolicyRevision rollBack(long revision, String author, Expectation<PolicyRevision> expected)
      throws SluiceException {
    PolicyRevision made =
        make(expected, before -> before.rolledBack(revision, author, clock.instant()));
    record(
        made,
        made.set()
                .map(set -> "Policies " + set.name() + " of revision " + revision)
                .orElse("No policies")
            + " are in force as revision "
            + made.number());
    return made;
  }

  private void record(PolicyRevision made, String decision) {
    log.info("{}, by {}", decision, made.author());
    String content =
        made.set()
            .map(set -> ": " + set.policies().size() + " policies, every " + seconds(set) + " s")
            .orElse("");
    journal.write(JournalEntry.Kind.POLICY, decision, "requested by " + made.author() + content);
  }

  private static double seconds(PolicySet set) {
    return set.cycleNanos() / 1e9;
  }

  /** Makes a step from what holds now, again if somebody else was faster. */
  private PolicyRevision make(Expectation<PolicyRevision> expected, Step step)
      throws SluiceException {
    try {
      for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
        Optional<Versioned> stored = store.get(ENTRY);
        PolicyHistory before =
            stored.isEmpty() ? PolicyHistory.EMPTY : PolicyHistoryCodec.read(stored.get().value());
        expected.check(before.current());
        PolicyHistory after = step.apply(before);
        String text = fitting(after);
        boolean won =
            stored.isEmpty()
                ? store.putIfAbsent(ENTRY, text)
                : store.replace(ENTRY, stored.get().version(), text);
        if (won) {
          tryToReload();
          return after.current().orElseThrow();
        }
      }
    } catch (StorageUnavailableException e) {
      log.warn("The policies' store cannot be written", e);
      throw unavailable("The cluster's store cannot be written: " + e);
    }
    throw unavailable("Other nodes changed policies at the same time, on every attempt");
  }

  /** The history as text, without its oldest revisions if there is no space for them. */
  private static String fitting(PolicyHistory history) throws SluiceException {
    PolicyHistory kept = history;
    String text = PolicyHistoryCodec.write(kept);
    while (text.length() > MOST_CHARACTERS && kept.entries().size() > 1) {
      kept = kept.withoutOldest();
      text = PolicyHistoryCodec.write(kept);
    }
    if (text.length() > MOST_CHARACTERS) {
      throw SluiceException.conflict(
          "policies",
          text.length() + " characters",
          "The cluster's store cannot hold so large a set",
          "Use fewer groups or policies: at most " + MOST_CHARACTERS + " characters");
    }
    return text;
  }

  private static SluiceException unavailable(String message) {
    return new SluiceException(
        SluiceException.Kind.UNAVAILABLE, "", "", message, "Try again in some seconds");
  }

  private void tryToReload() {
    try {
      reload();
    } catch (StorageUnavailableException e) {
      log.warn("Policies could not be read; those read last stay in effect: {}", e.toString());
    }
  }

  /**
   * Reads what is stored, of which this node may not have been notified.
   *
   * @throws StorageUnavailableException if the store does not answer
   */
  void reload() {
    show(store.get(ENTRY));
  }

  /** Makes a state of the store the one that holds here, unless a newer one does already. */
  private void show(Optional<Versioned> stored) {
    if (stored.isEmpty()) {
      return;
    }
    synchronized (this) {
      if (stored.get().version() <= shownVersion) {
        return;
      }
      shownVersion = stored.get().version();
      try {
        history = PolicyHistoryCodec.read(stored.get().value());
      } catch (SluiceException e) {
        log.warn(
            "Policies could not be read; those read last stay in effect. {}. {}",
            e.getMessage(),
            e.remedy());
        journal.write(
            JournalEntry.Kind.REFUSED,
            "Policies could not be read; those read last stay in effect, and cannot be changed",
            e.getMessage() + ". " + e.remedy());
        return;
      }
    }
    epoch.advance();
  }
}

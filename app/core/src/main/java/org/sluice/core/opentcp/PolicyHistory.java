// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.opentcp;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.sluice.api.SluiceException;
import org.sluice.api.policy.PolicyRevision;
import org.sluice.api.policy.PolicySet;

/**
 * All that the store holds: the latest revisions, among them such as this release cannot read,
 * which stay as they are until they are old. Immutable.
 */
final class PolicyHistory {
  /** Most revisions that are kept. */
  static final int MOST_REVISIONS = 50;

  static final PolicyHistory EMPTY = new PolicyHistory(1, List.of());

  private final long nextNumber;
  private final List<Entry> entries;

  /** A revision, or the text of one that cannot be read. */
  static final class Entry {
    private final PolicyRevision revision;
    private final JsonNode unreadable;

    private Entry(PolicyRevision revision, JsonNode unreadable) {
      this.revision = revision;
      this.unreadable = unreadable;
    }

    static Entry of(PolicyRevision revision) {
      return new Entry(revision, null);
    }

    static Entry ofUnreadable(JsonNode text) {
      return new Entry(null, text);
    }

    Optional<PolicyRevision> revision() {
      return Optional.ofNullable(revision);
    }

    /** As it is stored; only of what cannot be read. */
    JsonNode unreadable() {
      return unreadable;
    }
  }

  /**
   * A history.
   *
   * @param nextNumber of the next revision, above all others
   * @param entries the latest first
   */
  PolicyHistory(long nextNumber, List<Entry> entries) {
    this.nextNumber = nextNumber;
    this.entries = List.copyOf(entries);
  }

  long nextNumber() {
    return nextNumber;
  }

  /** The latest first. */
  List<Entry> entries() {
    return entries;
  }

  /** Those that can be read, the latest first. */
  List<PolicyRevision> revisions() {
    return entries.stream()
        .flatMap(entry -> entry.revision().stream())
        .collect(Collectors.toUnmodifiableList());
  }

  /** The latest; empty before the first, and if it cannot be read. */
  Optional<PolicyRevision> current() {
    return entries.isEmpty() ? Optional.empty() : entries.get(0).revision();
  }

  /** Whether the latest cannot be read, so that nothing holds here. */
  boolean isUnreadable() {
    return !entries.isEmpty() && current().isEmpty();
  }

  /** The history with a new set in force. */
  PolicyHistory with(PolicySet set, String author, Instant time) {
    return with(Optional.of(set), 0, author, time);
  }

  /**
   * The history with an earlier revision's set in force again; 0: none.
   *
   * @throws SluiceException NOT_FOUND if it is not there
   */
  PolicyHistory rolledBack(long number, String author, Instant time) throws SluiceException {
    if (number == 0) {
      return with(Optional.empty(), 0, author, time);
    }
    PolicyRevision earlier =
        revisions().stream()
            .filter(revision -> revision.number() == number)
            .findFirst()
            .orElseThrow(
                () -> SluiceException.notFound("revision", number, "No such revision is stored"));
    return with(earlier.set(), number, author, time);
  }

  private PolicyHistory with(
      Optional<PolicySet> set, long rolledBackTo, String author, Instant time) {
    List<Entry> now = new ArrayList<>();
    now.add(
        Entry.of(
            PolicyRevision.builder(nextNumber)
                .time(time)
                .author(author)
                .rolledBackTo(rolledBackTo)
                .set(set)
                .build()));
    entries.stream().limit(MOST_REVISIONS - 1L).forEach(now::add);
    return new PolicyHistory(nextNumber + 1, now);
  }

  /** The same without its oldest revision. */
  PolicyHistory withoutOldest() {
    return new PolicyHistory(nextNumber, entries.subList(0, entries.size() - 1));
  }
}

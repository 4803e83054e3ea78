// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.opentcp;

import java.util.List;
import org.sluice.api.policy.PrefixHint;

/** What a host was sent last in its session and our term. Immutable. */
final class SentHints {
  final long session;
  final long term;
  final String group;
  final long revision;
  final List<PrefixHint> hints;

  /** Groups towards which there was no space for hints. */
  final int leftOutGroups;

  final long sentNanos;

  SentHints(
      long session,
      long term,
      String group,
      long revision,
      List<PrefixHint> hints,
      int leftOutGroups,
      long sentNanos) {
    this.session = session;
    this.term = term;
    this.group = group;
    this.revision = revision;
    this.hints = hints;
    this.leftOutGroups = leftOutGroups;
    this.sentNanos = sentNanos;
  }

  /** The same in a group of another name. */
  SentHints withGroup(String other) {
    return new SentHints(session, term, other, revision, hints, leftOutGroups, sentNanos);
  }
}

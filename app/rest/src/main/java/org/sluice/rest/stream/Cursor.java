// SPDX-License-Identifier: Apache-2.0
package org.sluice.rest.stream;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What a reader has: everything up to a revision of a feed, and the journal up to an entry. As text
 * it is the id of events: {@code EPOCH.REVISION.SEQUENCE}. Immutable.
 */
final class Cursor {
  /** The revision of those who have nothing. */
  static final long NOTHING = -1;

  private static final Pattern FORM =
      Pattern.compile("([a-z0-9]{1,16})\\.(-1|\\d{1,18})\\.(-1|\\d{1,18})");

  final String epoch;
  final long revision;
  final long journalSequence;

  /**
   * A cursor.
   *
   * @param epoch of the feed: another node's, or one of another activation, has another
   */
  Cursor(String epoch, long revision, long journalSequence) {
    this.epoch = epoch;
    this.revision = revision;
    this.journalSequence = journalSequence;
  }

  /** Of a reader that has nothing of a feed yet. */
  static Cursor start(String epoch) {
    return new Cursor(epoch, NOTHING, NOTHING);
  }

  /**
   * The cursor of a reader that comes with the id of the last event that it had, which may be
   * anybody's or no id at all: then it has nothing.
   */
  static Cursor resumed(String lastEventId, Snapshot now) {
    Matcher id = FORM.matcher(lastEventId);
    if (id.matches() && id.group(1).equals(now.epoch)) {
      Cursor last =
          new Cursor(id.group(1), Long.parseLong(id.group(2)), Long.parseLong(id.group(3)));
      if (last.revision <= now.revision) {
        return last;
      }
    }
    return start(now.epoch);
  }

  @Override
  public String toString() {
    return epoch + "." + revision + "." + journalSequence;
  }
}

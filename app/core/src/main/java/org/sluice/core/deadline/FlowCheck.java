// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.deadline;

import java.util.concurrent.TimeUnit;
import org.sluice.api.MilliTime;
import org.sluice.api.SluiceException;
import org.sluice.api.deadline.FlowKey;
import org.sluice.core.setting.Parameters;
import org.sluice.core.setting.SettingTable;

/** Validates requests for deadlines, and words their refusals. */
final class FlowCheck {
  /** A petabyte: more than any link carries in the longest time. */
  static final long MAX_SIZE_BYTES = 1L << 50;

  private FlowCheck() {}

  static void size(long sizeBytes) throws SluiceException {
    if (sizeBytes <= 0 || sizeBytes > MAX_SIZE_BYTES) {
      throw SluiceException.invalid(
          "sizeBytes",
          sizeBytes,
          "A flow has a size above 0 and of at most 2^50 bytes",
          "Give the payload that has to arrive, in bytes");
    }
  }

  static void due(long dueInNanos, Parameters parameters) throws SluiceException {
    int mostMinutes = parameters.get(SettingTable.DEADLINE_HORIZON_MINUTES);
    if (dueInNanos <= 0 || dueInNanos > TimeUnit.MINUTES.toNanos(mostMinutes)) {
      throw SluiceException.invalid(
          "dueInMillis",
          MilliTime.fromNanos(dueInNanos),
          "A deadline lies in the future, at most " + mostMinutes + " minutes",
          "Give the time from now until the last byte has to be there, or have an operator raise "
              + SettingTable.DEADLINE_HORIZON_MINUTES.name());
    }
  }

  static void begins(long beginsInNanos, long dueInNanos) throws SluiceException {
    if (beginsInNanos < 0 || beginsInNanos >= dueInNanos) {
      throw SluiceException.invalid(
          "beginsInMillis",
          MilliTime.fromNanos(beginsInNanos),
          "A connection begins now or later, and before its deadline",
          "Give the time from now until the application connects, or leave it out");
    }
  }

  static SluiceException claimed(FlowKey key) {
    return SluiceException.conflict(
        "source",
        key,
        "This flow is registered already",
        "Change or remove that registration, or name ports that set the flows apart");
  }

  static SluiceException ended(long id) {
    return SluiceException.conflict(
        "id", id, "This registration has ended", "Register the flow anew");
  }

  static SluiceException unknown(long id) {
    return SluiceException.notFound("id", id, "There is no such registration");
  }

  static SluiceException unavailable(String message) {
    return new SluiceException(
        SluiceException.Kind.UNAVAILABLE, "", "", message, "Try again in some seconds");
  }

  static SluiceException switchedOff() {
    return new SluiceException(
        SluiceException.Kind.UNAVAILABLE,
        "",
        "",
        "Deadlines are switched off",
        "Set the property deadlines to across or within-share");
  }
}

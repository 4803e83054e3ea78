// SPDX-License-Identifier: Apache-2.0
package org.sluice.api;

import com.google.auto.value.AutoValue;
import java.time.Instant;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;

/** One decision: what was decided, on what evidence, for whom. */
@AutoValue
public abstract class JournalEntry {

  /** What kind of thing was decided. */
  public enum Kind {
    /** A port came under control. */
    CONTROL_STARTED,
    /** A port's unit share changed noticeably. */
    UNIT_SHARE,
    /** Notices went to sources. */
    NOTICE,
    /** A port needs no control any more. */
    CONTROL_ENDED,
    /** The marks of a port under control are counted by another source from here on. */
    MARK_SOURCE,
    /** A port's floors are scaled down, since they come to more than it may keep; or no longer. */
    FLOORS_SCALED,
    /** A tenant was set, changed or removed. */
    TENANT,
    /** A host's agent came, went, or was refused. */
    HOST,
    /** A parameter or the enforcement changed. */
    SETTING,
    /** A deadline was requested: promised, registered by force, or refused. */
    DEADLINE,
    /** A flow missed its deadline. */
    DEADLINE_MISSED,
    /** A promise can no longer be kept, since ways or capacities changed. */
    PROMISE_LOST,
    /**
     * Background traffic towards a port where short flows wait is capped upstream, or no longer.
     */
    CAP,
    /** The sizes were tuned at which flows leave a level of priority for the next. */
    LEVELS,
    /** Policies for hosts' TCP were put in force or withdrawn, or their hints begin or end. */
    POLICY,
    /** Something reported or claimed was not accepted, or could not be used. */
    REFUSED;

    /** As operators read and write it: {@code unit-share}. */
    public String text() {
      return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /**
     * The kind with this text.
     *
     * @param field what the text was given as, for the message
     * @throws SluiceException of kind INVALID if there is none
     */
    public static Kind ofText(String field, String text) throws SluiceException {
      for (Kind kind : values()) {
        if (kind.text().equals(text)) {
          return kind;
        }
      }
      throw SluiceException.invalid(
          field,
          text,
          "There is no such kind of entry",
          "Use one of "
              + Arrays.stream(values()).map(Kind::text).collect(Collectors.joining(", ")));
    }
  }

  public static JournalEntry of(
      long sequence,
      Instant time,
      Kind kind,
      String law,
      Optional<PortId> port,
      Optional<EndpointId> endpoint,
      Optional<TenantId> tenant,
      String decision,
      String evidence) {
    return new AutoValue_JournalEntry(
        sequence, time, kind, law, port, Optional.empty(), endpoint, tenant, decision, evidence);
  }

  /** The same, with what its port was called. */
  public final JournalEntry withPortName(Optional<String> name) {
    return new AutoValue_JournalEntry(
        sequence(),
        time(),
        kind(),
        law(),
        port(),
        name,
        endpoint(),
        tenant(),
        decision(),
        evidence());
  }

  /** Grows by one per entry of a controller node. */
  public abstract long sequence();

  public abstract Instant time();

  public abstract Kind kind();

  /** The law that decided, or empty where an operator did. */
  public abstract String law();

  public abstract Optional<PortId> port();

  /** What its controller called the port at that time; empty where it did not. */
  public abstract Optional<String> portName();

  public abstract Optional<EndpointId> endpoint();

  /**
   * The tenant whose own affair it was at that time, and who may read of it; empty where it also is
   * about others, or about the network.
   */
  public abstract Optional<TenantId> tenant();

  /** What was decided, in words with figures and units. */
  public abstract String decision();

  /** On what evidence, in words with figures and units. */
  public abstract String evidence();
}

// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.journal;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;
import org.sluice.api.EndpointId;
import org.sluice.api.IpAddress;
import org.sluice.api.JournalEntry.Kind;
import org.sluice.api.Law;
import org.sluice.api.MegabitRate;
import org.sluice.api.PortStatus.MarkSource;
import org.sluice.api.TenantId;
import org.sluice.engine.control.ControlledPort;
import org.sluice.engine.control.ControlledPorts.EndReason;
import org.sluice.engine.law.SdnGccLaw.Split;
import org.sluice.engine.marks.MarkSources;
import org.sluice.engine.state.EngineState;
import org.sluice.engine.state.PairTable;
import org.sluice.engine.state.PortTable;
import org.sluice.engine.statistics.EngineStatistics.Figure;
import org.sluice.engine.traffic.RefusalSink;

/**
 * Writes the engine's decisions into the journal, each with its evidence, and no more often than a
 * reader can follow: at most one unit share and one notice entry per port and second.
 */
public final class DecisionLog implements RefusalSink {
  /** A smaller relative change of a unit share is not journaled. */
  static final double NOTICEABLE = 0.05;

  private static final long QUIET_NANOS = 1_000_000_000L;

  /** Most refusals written at once; the rest is only counted. */
  private static final int MAX_REFUSALS_PER_TICK = 100;

  private final EngineState state;
  private final MarkSources sources;
  private final Journal journal;
  private final List<Refusal> refusals = new ArrayList<>();
  private boolean unknownPathJournaled;
  private long wallClockMillis;
  private Law law;
  private Split split;
  private long controlPeriodNanos;

  public DecisionLog(EngineState state, MarkSources sources, Journal journal) {
    this.state = state;
    this.sources = sources;
    this.journal = journal;
  }

  /** The parameters that hold from now on. */
  public void setParameters(Law inForce, Split ofMarks, long periodNanos) {
    law = inForce;
    split = ofMarks;
    controlPeriodNanos = periodNanos;
  }

  /** Begins a tick. What was refused since the last one is written now that the time is known. */
  public void tick(long wallClock) {
    wallClockMillis = wallClock;
    for (int i = 0; i < refusals.size(); i++) {
      Refusal refusal = refusals.get(i);
      append(Kind.REFUSED, "", null, refusal.endpoint, refusal.decision, refusal.evidence);
    }
    refusals.clear();
    if (state.counters.get(Figure.UNKNOWN_PATH_PAIRS) == 0) {
      unknownPathJournaled = false;
    }
  }

  /** Journaled once until every path is known again. */
  @Override
  public void pathUnknown(EndpointId source, IpAddress destination) {
    if (!unknownPathJournaled) {
      unknownPathJournaled = true;
      refuse(
          source,
          "marks of pairs without a known path are not used",
          "no path is known from " + source + " to " + destination + ", the first such pair");
    }
  }

  @Override
  public void claimRefused(EndpointId claimant, EndpointId holder, IpAddress ip) {
    refuse(
        claimant,
        "address " + ip + " stays with " + holder,
        claimant + " claims " + ip + ", which " + holder + " claimed first");
  }

  @Override
  public void pairsRefused(EndpointId endpoint, int pairs) {
    refuse(
        endpoint,
        "new pairs of host " + endpoint.host() + " are not taken in",
        "it has "
            + pairs
            + " of at most "
            + PairTable.MAX_PAIRS_PER_HOST
            + " pairs, in all there are "
            + state.pairs.size()
            + " of "
            + PairTable.MAX_PAIRS);
  }

  private void refuse(EndpointId endpoint, String decision, String evidence) {
    if (refusals.size() < MAX_REFUSALS_PER_TICK) {
      refusals.add(new Refusal(endpoint, decision, evidence));
    }
  }

  public void controlStarted(ControlledPort control, long now) {
    control.journaledShare = control.publishedShare();
    control.journaledAt = now;
    String decision =
        law == Law.SLUICE
            ? "control starts, unit share " + rate(control.publishedShare()) + " for weight 1"
            : "control starts by notices";
    append(Kind.CONTROL_STARTED, lawName(), control, null, decision, evidence(control));
  }

  public void controlEnded(ControlledPort control, EndReason reason) {
    if (control.scaledFloorsJournaled) {
      floorsHold(control, "control ends");
    }
    append(Kind.CONTROL_ENDED, lawName(), control, null, "control ends", reason.text());
  }

  /** Whether it is time to journal that a port's floors are scaled down, or not any longer. */
  public boolean isFloorScalingNews(ControlledPort control, long now) {
    return control.scalesFloors() != control.scaledFloorsJournaled
        && now - control.floorsJournaledAt >= QUIET_NANOS;
  }

  /**
   * A port's floors are scaled down from here on, or not any longer.
   *
   * @param tenants whose floors these are
   */
  public void floorScaling(ControlledPort control, List<TenantId> tenants, long now) {
    control.floorsJournaledAt = now;
    if (control.scalesFloors()) {
      control.scaledFloorsJournaled = true;
      append(
          Kind.FLOORS_SCALED,
          lawName(),
          control,
          null,
          "floors are scaled to "
              + decimal(control.floorScale(), 2)
              + " of what is guaranteed to tenants "
              + names(tenants),
          floorEvidence(control) + ", more than 90 %");
    } else {
      floorsHold(control, floorEvidence(control) + ", no more than 90 %");
    }
  }

  private void floorsHold(ControlledPort control, String evidence) {
    control.scaledFloorsJournaled = false;
    append(
        Kind.FLOORS_SCALED, lawName(), control, null, "floors are not scaled any more", evidence);
  }

  private String floorEvidence(ControlledPort control) {
    return "floors (guarantees and promised deadlines) come to "
        + rate(control.totalFloor())
        + " of "
        + MegabitRate.text(state.ports.capacityBitsPerSecond[control.port]);
  }

  private static String names(List<TenantId> tenants) {
    return tenants.stream().map(TenantId::name).collect(Collectors.joining(", "));
  }

  /** Journals a unit share if it has changed noticeably, and not just now. */
  public void unitShare(ControlledPort control, long now) {
    double change = Math.abs(control.publishedShare() - control.journaledShare);
    if (change <= NOTICEABLE * control.journaledShare || now - control.journaledAt < QUIET_NANOS) {
      return;
    }
    String decision =
        "unit share "
            + rate(control.publishedShare())
            + " for weight 1, was "
            + rate(control.journaledShare);
    append(Kind.UNIT_SHARE, lawName(), control, null, decision, evidence(control));
    control.journaledShare = control.publishedShare();
    control.journaledAt = now;
  }

  /** Notices of each one's marks have gone to sources. */
  public void markNotices(ControlledPort control, int sources, long now) {
    if (sources == 0 || now - control.noticesJournaledAt < QUIET_NANOS) {
      return;
    }
    control.noticesJournaledAt = now;
    String decision =
        String.format(
            Locale.ROOT,
            "notices of %d marks to %d sources, split %s",
            state.ports.marks[control.port],
            sources,
            split.name().toLowerCase(Locale.ROOT));
    append(Kind.NOTICE, lawName(), control, null, decision, evidence(control));
  }

  /** Notices of a port's marked part have gone to sources. */
  public void markedPartNotices(ControlledPort control, int sources, long now) {
    if (sources == 0 || now - control.noticesJournaledAt < QUIET_NANOS) {
      return;
    }
    control.noticesJournaledAt = now;
    String decision =
        "notices of a marked part of "
            + decimal(control.noticedPart(), 2)
            + " to "
            + sources
            + " sources";
    append(Kind.NOTICE, lawName(), control, null, decision, evidence(control));
  }

  /** The marks of a port under control come from another source from here on. */
  public void markSource(ControlledPort control, MarkSource source) {
    append(
        Kind.MARK_SOURCE,
        lawName(),
        control,
        null,
        source == null ? "no source of marks" : "marks are counted by " + source.counter(),
        source == null
            ? "none of the sources that the property signals allows has reported"
            : "the others have not reported lately, or have a lower precedence");
  }

  private String evidence(ControlledPort control) {
    PortTable ports = state.ports;
    int port = control.port;
    int active = ports.activeEndpoints[port];
    if (active == 0) {
      return marks(port) + "; no active endpoints";
    }
    // Put together by hand: with hundreds of ports it is done all the time.
    return marks(port)
        + "; "
        + active
        + (active == 1 ? " active endpoint, with " : " active endpoints, together with ")
        + MegabitRate.measured(ports.loadBitsPerSecond[port])
        + " (smoothed) of the port's "
        + MegabitRate.text(ports.capacityBitsPerSecond[port])
        + " and weight "
        + number(control.activeWeight(state.ports))
        + (control.isEstimated() ? "; path estimated" : "");
  }

  /** Of this period, or, since reports come when they come, of the last that came. */
  private String marks(int port) {
    MarkSource source = sources.source(port);
    String counter = source == null ? "" : ", counted by " + source.counter();
    String part = percent(state.ports.ceShare[port]);
    long marks = state.ports.marks[port];
    if (marks > 0) {
      return marks
          + (marks == 1 ? " mark in " : " marks in ")
          + decimal(controlPeriodNanos / 1e6, 1)
          + " ms, "
          + part
          + " of its packets"
          + counter;
    }
    return state.ports.ceShare[port] > 0
        ? part + " of its packets marked when last reported" + counter
        : "no marks in " + decimal(controlPeriodNanos / 1e6, 1) + " ms" + counter;
  }

  private String lawName() {
    return law.configurationName();
  }

  private void append(
      Kind kind,
      String law,
      ControlledPort control,
      EndpointId endpoint,
      String decision,
      String evidence) {
    journal.append(
        Instant.ofEpochMilli(wallClockMillis),
        kind,
        law,
        control == null ? Optional.empty() : Optional.of(state.ports.id[control.port]),
        Optional.ofNullable(endpoint),
        decision,
        evidence);
  }

  private static String rate(double bitsPerSecond) {
    return MegabitRate.measured(bitsPerSecond);
  }

  private static String percent(double part) {
    return Math.round(100 * part) + " %";
  }

  /** At most three decimals, no trailing zeros. */
  private static String number(double value) {
    String text = decimal(value, 3);
    int end = text.length();
    while (text.charAt(end - 1) == '0') {
      end--;
    }
    return text.substring(0, text.charAt(end - 1) == '.' ? end - 1 : end);
  }

  /** A number that is not negative with so many decimals, at least one. */
  private static String decimal(double value, int decimals) {
    return BigDecimal.valueOf(value).setScale(decimals, RoundingMode.HALF_UP).toPlainString();
  }

  private static final class Refusal {
    final EndpointId endpoint;
    final String decision;
    final String evidence;

    Refusal(EndpointId endpoint, String decision, String evidence) {
      this.endpoint = endpoint;
      this.decision = decision;
      this.evidence = evidence;
    }
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.why;

import java.util.ArrayList;
import java.util.List;
import org.sluice.api.ClockTime;
import org.sluice.api.MegabitRate;
import org.sluice.api.MilliTime;
import org.sluice.api.PortId;
import org.sluice.api.deadline.FlowState;
import org.sluice.api.deadline.FlowStatus;
import org.sluice.api.why.FlowExplanation;
import org.sluice.api.why.FlowExplanation.Cause;
import org.sluice.api.why.FlowPort;

/** Words how a flow with a deadline fares, for operators who have not read the papers. */
final class FlowWording {
  private final FlowExplanation what;
  private final FlowStatus flow;

  FlowWording(FlowExplanation what) {
    this.what = what;
    this.flow = what.flow();
  }

  FlowExplanation worded() {
    return what.toBuilder().summary(summary()).lines(lines()).build();
  }

  private String subject() {
    return "Flow " + flow.id() + " of tenant " + flow.tenant() + " (" + flow.flow() + ")";
  }

  /** What it is about: {@code 400000 bytes by 2026-01-01T00:00:00.300Z}. */
  private String wanted() {
    return flow.sizeBytes() + " bytes by " + ClockTime.text(flow.deadline());
  }

  private String summary() {
    switch (what.cause()) {
      case ON_COURSE:
        return subject() + " is promised " + wanted() + ", and can be through in time.";
      case LATE:
        return subject()
            + (flow.promised() ? " is promised " : " is to have ")
            + wanted()
            + (flow.dueInNanos() > 0 ? ", and will be late." : ", and that time has passed.");
      case NOT_PROMISED:
        return subject()
            + " is to have "
            + wanted()
            + ", which was not promised: it was registered by force.";
      case PROMISE_LOST:
        return subject()
            + " was promised "
            + wanted()
            + ", and is not any longer: nothing of it arrived, or its path, or what that carries, became another.";
      case PATH_UNKNOWN:
        return subject() + " is to have " + wanted() + "; its path is not known now.";
      default:
        return ended();
    }
  }

  private String ended() {
    String promise = flow.promised() ? ", which was promised" : ", which was not promised";
    switch (flow.state()) {
      case MET:
        return subject() + " had " + wanted() + promise + ": met.";
      case MISSED:
        return subject()
            + " was to have "
            + wanted()
            + promise
            + ": missed, with "
            + flow.remainingBytes()
            + " bytes left.";
      case NEVER_SENT:
        return subject() + " was to have " + wanted() + promise + ", and sent nothing by then.";
      case CLOSED_EARLY:
        return subject()
            + " was to have "
            + wanted()
            + promise
            + "; its connection ended before, with "
            + flow.remainingBytes()
            + " bytes left.";
      default:
        return subject() + " was to have " + wanted() + promise + "; it was taken back.";
    }
  }

  private List<String> lines() {
    List<String> lines = new ArrayList<>();
    if (what.cause() == Cause.ENDED) {
      endedLines(lines);
      return lines;
    }
    if (flow.dueInNanos() <= 0) {
      lines.add("Whether its last bytes arrived in time is unknown until its host reports them.");
      return lines;
    }
    if (what.cause() == Cause.PATH_UNKNOWN) {
      lines.add(
          "Nothing is promised to it before its source is a known endpoint and the switches between"
              + " have rules for its destination: sluice-endpoints, sluice-doctor.");
      return lines;
    }
    progress(lines);
    what.ports().forEach(port -> lines.add(place(port)));
    change(lines);
    return lines;
  }

  private void endedLines(List<String> lines) {
    // Of what the engine had of it, only the journal is left.
    what.journal().stream()
        .findFirst()
        .ifPresent(entry -> lines.add("At the end: " + entry.evidence() + "."));
    switch (flow.state()) {
      case MISSED:
        lines.add(
            flow.promised()
                ? "A promise holds for one that begins in time, and sends whenever it may: begin"
                    + " earlier, or register with the time that its application needs as well."
                : "What is not promised comes after all promises: register it earlier, or with a"
                    + " deadline that can be promised.");
        break;
      case NEVER_SENT:
        lines.add(
            "No connection with these addresses and ports was seen: compare them with what the"
                + " application opens, and whether its host's agent is connected (sluice-hosts).");
        break;
      default:
        break;
    }
  }

  private void progress(List<String> lines) {
    String left =
        flow.remainingBytes()
            + " bytes are left for "
            + millis(flow.dueInNanos())
            + ", which takes "
            + MegabitRate.measured(what.neededBitsPerSecond())
            + " from now on";
    String window;
    if (what.windowBytes().isPresent()) {
      window = "; its window is " + what.windowBytes().getAsLong() + " bytes.";
    } else {
      window =
          flow.state() == FlowState.WAITING
              ? "; its connection has not begun."
              : "; no window holds it back.";
    }
    lines.add(left + window);
  }

  private static String place(FlowPort place) {
    StringBuilder text = new StringBuilder();
    text.append(name(place))
        .append(" carries ")
        .append(MegabitRate.text(round(place.capacityBitsPerSecond())));
    place
        .promisableBitsPerSecond()
        .ifPresent(
            rate ->
                text.append(", of which ")
                    .append(MegabitRate.measured(rate))
                    .append(" can be promised"));
    place.flowsBefore().ifPresent(flows -> text.append("; ").append(before(place, flows)));
    place
        .totalWindowBytes()
        .ifPresent(
            bytes ->
                text.append("; it is congested, and its flows' windows add up to ")
                    .append(bytes)
                    .append(" bytes"));
    return text.append('.').toString();
  }

  private static String before(FlowPort place, int flows) {
    return flows == 0
        ? "no promised flow there is due before it"
        : flows
            + (flows == 1
                ? " promised flow there due before it has "
                : " promised flows there due before it have ")
            + place.bytesBefore().orElse(0)
            + " bytes left";
  }

  /** Whole kbit/s: what came from bytes of payload is no rounder. */
  private static long round(long bitsPerSecond) {
    return Math.round(bitsPerSecond / 1000.0) * 1000;
  }

  private static String name(FlowPort place) {
    switch (place.kind()) {
      case NIC:
        return "Its host's NIC";
      case CEILING:
        return "Its tenant's ceiling";
      default:
        PortId port = place.port().orElseThrow();
        return "Port " + PortId.label(port, place.portName());
    }
  }

  private void change(List<String> lines) {
    if (what.cause() == Cause.ON_COURSE) {
      lines.add(
          "It stays so unless its path changes, or its application sends later or less than it"
              + " may.");
    } else if (what.earliestNanos().isPresent()) {
      lines.add(
          "A deadline in "
              + millis(what.earliestNanos().getAsLong())
              + " or later can be promised: withdraw it, and register it anew.");
    } else if (what.cause() == Cause.LATE) {
      lines.add(
          "Nothing is left to promise on its path: fewer guarantees there, or another path, would"
              + " change it.");
    } else {
      lines.add("Its deadline can be promised now: withdraw it, and register it anew.");
    }
  }

  private static String millis(long nanos) {
    return MilliTime.text(nanos);
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.sluice.onos.setting;

import static org.sluice.onos.OsgiPropertyConstants.AGENT_LINK_CERTIFICATE;
import static org.sluice.onos.OsgiPropertyConstants.AGENT_LINK_KEY;
import static org.sluice.onos.OsgiPropertyConstants.AGENT_LINK_PORT;
import static org.sluice.onos.OsgiPropertyConstants.AGENT_LINK_TRUST;
import static org.sluice.onos.OsgiPropertyConstants.CONTROL_PERIOD_MILLIS;
import static org.sluice.onos.OsgiPropertyConstants.DEADLINES;
import static org.sluice.onos.OsgiPropertyConstants.ENFORCEMENT;
import static org.sluice.onos.OsgiPropertyConstants.EXPIRED;
import static org.sluice.onos.OsgiPropertyConstants.FAST_COUNTERS;
import static org.sluice.onos.OsgiPropertyConstants.FAST_COUNTERS_PORT;
import static org.sluice.onos.OsgiPropertyConstants.FLOWS;
import static org.sluice.onos.OsgiPropertyConstants.FORWARDING;
import static org.sluice.onos.OsgiPropertyConstants.LAW;
import static org.sluice.onos.OsgiPropertyConstants.LEASE_MILLIS;
import static org.sluice.onos.OsgiPropertyConstants.LOSS_ANSWERS;
import static org.sluice.onos.OsgiPropertyConstants.NOTICES;
import static org.sluice.onos.OsgiPropertyConstants.NOTICE_FORMAT;
import static org.sluice.onos.OsgiPropertyConstants.NOTICE_PROTOCOL;
import static org.sluice.onos.OsgiPropertyConstants.SIGNALS;
import static org.sluice.onos.OsgiPropertyConstants.SPLIT;
import static org.sluice.onos.OsgiPropertyConstants.SPREADING;
import static org.sluice.onos.OsgiPropertyConstants.WINDOWS;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Dictionary;
import java.util.List;
import java.util.function.Consumer;

/**
 * Reads the component's properties. A value that cannot be right leaves what held before in force
 * and yields a warning that names the property, the value and what would be accepted.
 */
final class ParameterReader {
  /** Shortest control period: below, the engine's thread would do nothing else. */
  static final int MIN_CONTROL_PERIOD_MILLIS = 1;

  static final int MAX_CONTROL_PERIOD_MILLIS = 1_000;

  /** Shortest lease: agents renew three times per lease, and a pause of a JVM must not end it. */
  static final int MIN_LEASE_MILLIS = 500;

  static final int MAX_LEASE_MILLIS = 600_000;

  /** Below, IP protocol numbers are others'; so agents accept it. */
  static final int MIN_NOTICE_PROTOCOL = 143;

  static final int MAX_NOTICE_PROTOCOL = 254;

  private final Dictionary<String, ?> properties;
  private final List<String> warnings = new ArrayList<>();

  private ParameterReader(Dictionary<String, ?> properties) {
    this.properties = properties;
  }

  /**
   * What the properties say, over what held before.
   *
   * @param properties values by name; a name that is absent keeps what held before
   * @param before what held before
   * @param warn is told of every value that was refused
   */
  static Parameters read(
      Dictionary<String, ?> properties, Parameters before, Consumer<String> warn) {
    ParameterReader reader = new ParameterReader(properties);
    Parameters parameters =
        before.toBuilder()
            .enforcement(reader.onOff(ENFORCEMENT, before.enforcement()))
            .law(reader.choice(LAW, Parameters.Law.class, before.law()))
            .split(reader.choice(SPLIT, Parameters.Split.class, before.split()))
            .controlPeriodMillis(
                reader.number(
                    CONTROL_PERIOD_MILLIS,
                    MIN_CONTROL_PERIOD_MILLIS,
                    MAX_CONTROL_PERIOD_MILLIS,
                    before.controlPeriodMillis()))
            .forwarding(reader.choice(FORWARDING, Parameters.Forwarding.class, before.forwarding()))
            .spreading(reader.choice(SPREADING, Parameters.Spreading.class, before.spreading()))
            .agentLinkPort(reader.number(AGENT_LINK_PORT, 1, 65535, before.agentLinkPort()))
            .agentLinkKey(reader.file(AGENT_LINK_KEY, before.agentLinkKey()))
            .agentLinkCertificate(
                reader.file(AGENT_LINK_CERTIFICATE, before.agentLinkCertificate()))
            .agentLinkTrust(reader.file(AGENT_LINK_TRUST, before.agentLinkTrust()))
            .leaseMillis(
                reader.number(
                    LEASE_MILLIS, MIN_LEASE_MILLIS, MAX_LEASE_MILLIS, before.leaseMillis()))
            .fastCounters(reader.onOff(FAST_COUNTERS, before.fastCounters()))
            .fastCountersPort(
                reader.number(FAST_COUNTERS_PORT, 1, 65535, before.fastCountersPort()))
            .signals(reader.choice(SIGNALS, Parameters.Signals.class, before.signals()))
            .notices(reader.choice(NOTICES, Parameters.Notices.class, before.notices()))
            .noticeFormat(
                reader.choice(NOTICE_FORMAT, Parameters.NoticeFormat.class, before.noticeFormat()))
            .noticeProtocol(
                reader.number(
                    NOTICE_PROTOCOL,
                    MIN_NOTICE_PROTOCOL,
                    MAX_NOTICE_PROTOCOL,
                    before.noticeProtocol()))
            .deadlines(reader.choice(DEADLINES, Parameters.Deadlines.class, before.deadlines()))
            .windows(reader.choice(WINDOWS, Parameters.Windows.class, before.windows()))
            .expired(reader.choice(EXPIRED, Parameters.Expired.class, before.expired()))
            .flows(reader.choice(FLOWS, Parameters.Flows.class, before.flows()))
            .lossAnswers(reader.onOff(LOSS_ANSWERS, before.lossAnswers()))
            .build();
    reader.checkTogether(parameters);
    reader.warnings.forEach(warn);
    return parameters;
  }

  /** Each value may be right, and one of them be of no effect beside another. */
  private void checkTogether(Parameters parameters) {
    if (parameters.notices() == Parameters.Notices.IN_BAND && !parameters.noticesInBand()) {
      warnings.add(
          "Property notices = 'in-band' has no effect while forwarding = other: Sluice puts no"
              + " packets into a network that it does not forward. Notices go by the link; set"
              + " notices = link, or forwarding = own.");
    }
    if (parameters.flows() == Parameters.Flows.SWITCH && !parameters.switchFlows()) {
      warnings.add(
          "Property flows = 'switch' has no effect while forwarding = other: Sluice puts no rules"
              + " into a network that it does not forward. Hosts tell of flows; set flows = host, or"
              + " forwarding = own.");
    }
  }

  private boolean onOff(String name, boolean before) {
    String text = text(name);
    if (text == null) {
      return before;
    }
    if (text.equals("on") || text.equals("off")) {
      return text.equals("on");
    }
    refuse(name, text, "on or off", before ? "on" : "off");
    return before;
  }

  private <E extends Enum<E>> E choice(String name, Class<E> type, E before) {
    String text = text(name);
    if (text == null) {
      return before;
    }
    List<String> accepted = new ArrayList<>();
    for (E constant : type.getEnumConstants()) {
      String word = Parameters.word(constant);
      if (word.equals(text)) {
        return constant;
      }
      accepted.add(word);
    }
    refuse(name, text, String.join(" or ", accepted), Parameters.word(before));
    return before;
  }

  private int number(String name, int least, int most, int before) {
    String text = text(name);
    if (text == null) {
      return before;
    }
    try {
      int number = Integer.parseInt(text);
      if (number >= least && number <= most) {
        return number;
      }
    } catch (NumberFormatException e) {
      // Refused below, with the bounds.
    }
    refuse(name, text, "a whole number from " + least + " to " + most, String.valueOf(before));
    return before;
  }

  private String file(String name, String before) {
    String text = text(name);
    if (text == null || text.isEmpty() || Files.isReadable(Path.of(text))) {
      return text == null ? before : text;
    }
    refuse(
        name,
        text,
        "the path of a PEM file that the controller can read, or nothing",
        before.isEmpty() ? "nothing" : before);
    return before;
  }

  private String text(String name) {
    Object value = properties.get(name);
    return value == null ? null : value.toString().trim();
  }

  private void refuse(String name, String value, String accepted, String kept) {
    warnings.add(
        "Property "
            + name
            + " = '"
            + value
            + "' is refused: use "
            + accepted
            + ". "
            + kept
            + " stays in force.");
  }
}

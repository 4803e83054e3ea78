// SPDX-License-Identifier: Apache-2.0
package org.sluice.onos.setting;

import com.google.auto.value.AutoValue;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.sluice.onos.OsgiPropertyConstants;

/** The component's parameters, checked. */
@AutoValue
public abstract class Parameters {

  /** Which law decides. */
  public enum Law {
    SLUICE,
    PAPER
  }

  /** How the paper's law splits a port's marks among the sources that cross it. */
  public enum Split {
    PROPORTIONAL,
    EQUAL
  }

  /** Who forwards the tenants' packets. */
  public enum Forwarding {
    OWN,
    OTHER
  }

  /** What a switch spreads over equally good ports. */
  public enum Spreading {
    /** Each flow by itself, by the switch's hash. */
    FLOWS,
    /** All that goes to a destination by one way, which Sluice chooses and so knows. */
    DESTINATIONS
  }

  /** Whose marks are believed. */
  public enum Signals {
    /** Port agents, then hosts, then meters. */
    AUTO,
    HOSTS,
    METERS,
    PORTS
  }

  /** How notices reach hosts. */
  public enum Notices {
    LINK,
    IN_BAND
  }

  /** What notices in band look like. */
  public enum NoticeFormat {
    V1,
    PAPER
  }

  /** Whether flows with promised deadlines are let through beyond their endpoints' shares. */
  public enum Deadlines {
    /** They are, as if their endpoints had a guarantee. */
    ACROSS,
    /** An endpoint's flows with deadlines come out of its share. */
    WITHIN_SHARE,
    /** There are no deadlines. */
    OFF
  }

  /** Who gets which window at a congested port. */
  public enum Windows {
    EDF,
    PAPER
  }

  /** What becomes of a flow whose deadline has passed. */
  public enum Expired {
    DEMOTE,
    DROP
  }

  /** Who tells that a registered flow's connection begins or ends. */
  public enum Flows {
    /** The agent of its source. */
    HOST,
    /** The switch that its source is attached to, by packet-in. */
    SWITCH
  }

  /** What holds until somebody says otherwise. */
  public static Parameters defaults() {
    return new AutoValue_Parameters.Builder()
        .enforcement(true)
        .law(Law.SLUICE)
        .split(Split.PROPORTIONAL)
        .controlPeriodMillis(OsgiPropertyConstants.CONTROL_PERIOD_MILLIS_DEFAULT)
        .forwarding(Forwarding.OWN)
        .spreading(Spreading.FLOWS)
        .agentLinkPort(OsgiPropertyConstants.AGENT_LINK_PORT_DEFAULT)
        .agentLinkKey("")
        .agentLinkCertificate("")
        .agentLinkTrust("")
        .leaseMillis(OsgiPropertyConstants.LEASE_MILLIS_DEFAULT)
        .fastCounters(true)
        .fastCountersPort(OsgiPropertyConstants.FAST_COUNTERS_PORT_DEFAULT)
        .signals(Signals.AUTO)
        .notices(Notices.LINK)
        .noticeFormat(NoticeFormat.V1)
        .noticeProtocol(OsgiPropertyConstants.NOTICE_PROTOCOL_DEFAULT)
        .deadlines(Deadlines.ACROSS)
        .windows(Windows.EDF)
        .expired(Expired.DEMOTE)
        .flows(Flows.HOST)
        .lossAnswers(true)
        .build();
  }

  /** Whether agents limit. */
  public abstract boolean enforcement();

  public abstract Law law();

  public abstract Split split();

  /** T_i, milliseconds. */
  public abstract int controlPeriodMillis();

  public abstract Forwarding forwarding();

  /** Of no account where somebody else forwards. */
  public abstract Spreading spreading();

  public abstract int agentLinkPort();

  /** PEM file; empty: none. */
  public abstract String agentLinkKey();

  /** PEM file; empty: none. */
  public abstract String agentLinkCertificate();

  /** PEM file; empty: none. */
  public abstract String agentLinkTrust();

  public abstract int leaseMillis();

  /** Whether switches are awaited for fast counters. */
  public abstract boolean fastCounters();

  public abstract int fastCountersPort();

  /** How notices are wanted to reach hosts; {@link #noticesInBand} tells whether they can. */
  public abstract Signals signals();

  /** Whether only notices tell sources of marks: receivers do not. */
  public final boolean noticesAlone() {
    return signals() == Signals.METERS || signals() == Signals.PORTS;
  }

  public abstract Notices notices();

  /** Of no account where notices come by the link. */
  public abstract NoticeFormat noticeFormat();

  /** IP protocol number of notices in band. */
  public abstract int noticeProtocol();

  public abstract Deadlines deadlines();

  public abstract Windows windows();

  public abstract Expired expired();

  /** Who is wanted to tell of connections; {@link #switchFlows} tells whether switches can. */
  public abstract Flows flows();

  /**
   * Whether switches tell of connections. Where somebody else forwards they do not: Sluice puts no
   * rule into a network that is not its own.
   */
  public boolean switchFlows() {
    return flows() == Flows.SWITCH && forwarding() == Forwarding.OWN;
  }

  /** Whether packets that port agents drop are answered for. */
  public abstract boolean lossAnswers();

  /**
   * Whether notices go in band. Where somebody else forwards they do not: Sluice puts nothing into
   * a network that is not its own.
   */
  public boolean noticesInBand() {
    return notices() == Notices.IN_BAND && forwarding() == Forwarding.OWN;
  }

  /** Every property with its value, as an operator writes them. */
  Map<String, String> asProperties() {
    Map<String, String> values = new LinkedHashMap<>();
    values.put(OsgiPropertyConstants.ENFORCEMENT, enforcement() ? "on" : "off");
    values.put(OsgiPropertyConstants.LAW, word(law()));
    values.put(OsgiPropertyConstants.SPLIT, word(split()));
    values.put(OsgiPropertyConstants.CONTROL_PERIOD_MILLIS, String.valueOf(controlPeriodMillis()));
    values.put(OsgiPropertyConstants.FORWARDING, word(forwarding()));
    values.put(OsgiPropertyConstants.SPREADING, word(spreading()));
    values.put(OsgiPropertyConstants.AGENT_LINK_PORT, String.valueOf(agentLinkPort()));
    values.put(OsgiPropertyConstants.AGENT_LINK_KEY, agentLinkKey());
    values.put(OsgiPropertyConstants.AGENT_LINK_CERTIFICATE, agentLinkCertificate());
    values.put(OsgiPropertyConstants.AGENT_LINK_TRUST, agentLinkTrust());
    values.put(OsgiPropertyConstants.LEASE_MILLIS, String.valueOf(leaseMillis()));
    values.put(OsgiPropertyConstants.FAST_COUNTERS, fastCounters() ? "on" : "off");
    values.put(OsgiPropertyConstants.FAST_COUNTERS_PORT, String.valueOf(fastCountersPort()));
    values.put(OsgiPropertyConstants.SIGNALS, word(signals()));
    values.put(OsgiPropertyConstants.NOTICES, word(notices()));
    values.put(OsgiPropertyConstants.NOTICE_FORMAT, word(noticeFormat()));
    values.put(OsgiPropertyConstants.NOTICE_PROTOCOL, String.valueOf(noticeProtocol()));
    values.put(OsgiPropertyConstants.DEADLINES, word(deadlines()));
    values.put(OsgiPropertyConstants.WINDOWS, word(windows()));
    values.put(OsgiPropertyConstants.EXPIRED, word(expired()));
    values.put(OsgiPropertyConstants.FLOWS, word(flows()));
    values.put(OsgiPropertyConstants.LOSS_ANSWERS, lossAnswers() ? "on" : "off");
    return values;
  }

  /** Those properties that are not as in the other ones, in a line. */
  public String differenceFrom(Parameters other) {
    Map<String, String> theirs = other.asProperties();
    List<String> different = new ArrayList<>();
    asProperties()
        .forEach(
            (name, value) -> {
              if (!value.equals(theirs.get(name))) {
                different.add(name + " = " + (value.isEmpty() ? "nothing" : value));
              }
            });
    return String.join(", ", different);
  }

  /** A constant as an operator writes it. */
  static String word(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  abstract Builder toBuilder();

  /** Builds parameters; only {@link ParameterReader} does. */
  @AutoValue.Builder
  abstract static class Builder {
    abstract Builder enforcement(boolean on);

    abstract Builder law(Law law);

    abstract Builder split(Split split);

    abstract Builder controlPeriodMillis(int millis);

    abstract Builder forwarding(Forwarding forwarding);

    abstract Builder spreading(Spreading spreading);

    abstract Builder agentLinkPort(int port);

    abstract Builder agentLinkKey(String file);

    abstract Builder agentLinkCertificate(String file);

    abstract Builder agentLinkTrust(String file);

    abstract Builder leaseMillis(int millis);

    abstract Builder fastCounters(boolean on);

    abstract Builder fastCountersPort(int port);

    abstract Builder signals(Signals signals);

    abstract Builder notices(Notices notices);

    abstract Builder noticeFormat(NoticeFormat format);

    abstract Builder noticeProtocol(int number);

    abstract Builder deadlines(Deadlines deadlines);

    abstract Builder windows(Windows windows);

    abstract Builder expired(Expired expired);

    abstract Builder flows(Flows flows);

    abstract Builder lossAnswers(boolean on);

    abstract Parameters build();
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.setting;

import java.util.List;
import org.sluice.api.IpAddress;
import org.sluice.api.Law;
import org.sluice.engine.law.DeadlineParameters.Expired;
import org.sluice.engine.law.MicroFlowParameters;
import org.sluice.engine.law.SdnGccLaw.Split;
import org.sluice.engine.law.WindowScheme;
import org.sluice.engine.marks.Signals;

/** Every setting of the controller. What is not here cannot be set. */
public final class SettingTable {
  private SettingTable() {}

  /** Who shares a congested port. */
  public enum Share {
    /** A tenant's endpoints divide the tenant's share among them. */
    TENANT,
    /** Each endpoint has the weight and rates of its tenant's entry for itself. */
    ENDPOINT
  }

  /** Who forwards the tenants' packets. */
  public enum Forwarding {
    OWN,
    OTHER
  }

  /** Whether an address that the agent learned from packets counts for membership in a tenant. */
  public enum LearnedMembers {
    /** It does not: otherwise a VM could choose its tenant. */
    REFUSED,
    ACCEPTED
  }

  /** What a switch spreads over equal-cost ports. */
  public enum Spreading {
    /** Each flow by itself, by the switch's hash. */
    FLOWS,
    /** All traffic to a destination takes one path, which Sluice chooses and therefore knows. */
    DESTINATIONS
  }

  /** How notices reach hosts. */
  public enum Notices {
    LINK,
    IN_BAND
  }

  /** What notices in band look like. */
  public enum NoticeFormat {
    V1,
    SDN_GCC
  }

  /** Whether flows with admitted deadlines may exceed their endpoints' shares. */
  public enum Deadlines {
    /** They may, as if their endpoints had a guarantee. */
    ACROSS,
    /** An endpoint's flows with deadlines come out of its share. */
    WITHIN_SHARE,
    /** There are no deadlines. */
    OFF
  }

  /** Who reports that a registered flow's connection begins or ends. */
  public enum Flows {
    /** The agent of its source. */
    HOST,
    /** The switch that its source is attached to, by packet-in. */
    SWITCH
  }

  /** Who retransmits packets that a port dropped. */
  public enum LossAnswersBy {
    /** The agent of the port that dropped them. */
    AGENTS,
    /** The controller, by packet-out. */
    PACKET_OUT
  }

  /** How background flows towards a port with a queue of short flows are capped. */
  public enum Caps {
    /** They are not. */
    OFF,
    /** By Micro-flow's Algorithm 1 as published. */
    MICROFLOW,
    /** To the port's residual capacity. */
    SLUICE
  }

  /** Who sets the sizes at which flows drop to the next level of priority. */
  public enum LevelThresholds {
    /** Each agent's configuration. */
    AGENTS,
    /** The controller, by the sizes of flows that have ended. */
    TUNED
  }

  /** Among which queues marking thresholds are divided. */
  public enum ThresholdDivision {
    /** Among none: agents' configured thresholds hold. */
    OFF,
    /** The levels of a port. */
    PORT,
    /** The queues of all ports of a switch. */
    SWITCH
  }

  public static final Setting<Boolean> ENFORCEMENT =
      Setting.toggle(
          "enforcement",
          true,
          "on: agents enforce limits; off: agents enforce none, all else continues");

  public static final Setting<Law> LAW =
      Setting.choice(
              "law",
              Law.SLUICE,
              "sluice: Sluice's two-time-scale law; sdn-gcc: SDN-GCC as published, with"
                  + " corrections")
          .without(
              Law.HYGENICC,
              "sluice or sdn-gcc (hygenicc runs in agents alone, without a controller: set law:"
                  + " hygenicc in agent.yaml)");

  public static final Setting<Split> SPLIT =
      Setting.choice(
          "split",
          Split.PROPORTIONAL,
          "proportional or equal: how law = sdn-gcc splits a port's marks among sources");

  /** SDN-GCC's law ignores it: it shares among endpoints. */
  public static final Setting<Share> SHARE =
      Setting.choice(
          "share",
          Share.TENANT,
          "tenant: weight, guarantee and ceiling are a tenant's, shared by its endpoints;"
              + " endpoint: each endpoint's, as in the papers");

  public static final Setting<LearnedMembers> LEARNED_MEMBERS =
      Setting.choice(
          "learnedMembers",
          LearnedMembers.REFUSED,
          "refused: an address that an agent only learned from a VM's packets does not count for"
              + " membership in a tenant; accepted: it does, so that a VM can choose its tenant");

  /** T_i. Below a millisecond the engine thread would do nothing else. */
  public static final Setting<Integer> CONTROL_PERIOD_MILLIS =
      Setting.number(
          "controlPeriodMillis",
          5,
          1,
          1000,
          "T_i, the control period: time between two decisions of the controller, in milliseconds");

  public static final Setting<Forwarding> FORWARDING =
      Setting.choice(
          "forwarding",
          Forwarding.OWN,
          "own: Sluice forwards packets; other: another application does, and Sluice installs no"
              + " rule");

  /** Ignored while another application forwards. */
  public static final Setting<Spreading> SPREADING =
      Setting.choice(
          "spreading",
          Spreading.FLOWS,
          "flows: switches spread flows over equal-cost ports, by their own hash;"
              + " destinations: Sluice chooses a path for each destination");

  /** Ignored while another application forwards. */
  public static final Setting<Integer> ATTACHMENT_AGE_MINUTES =
      Setting.number(
          "attachmentAgeMinutes",
          30,
          1,
          10_080,
          "Minutes without traffic after which an address that no agent reports expires");

  public static final Setting<Integer> ADDRESSES_PER_PORT =
      Setting.number(
          "addressesPerPort",
          256,
          1,
          65536,
          "Maximum number of addresses behind an edge port that no agent reports");

  public static final Setting<Integer> AGENT_LINK_PORT =
      Setting.number(
          "agentLinkPort", 6680, 1, 65535, "TCP port on which the controller listens for agents");

  public static final Setting<String> AGENT_LINK_KEY =
      Setting.file(
          "agentLinkKey", "PEM file with the controller's private key; empty: no agent link");

  public static final Setting<String> AGENT_LINK_CERTIFICATE =
      Setting.file(
          "agentLinkCertificate",
          "PEM file with the controller's certificate; empty: no agent link");

  public static final Setting<String> AGENT_LINK_TRUST =
      Setting.file(
          "agentLinkTrust",
          "PEM file with the authority that signs the hosts' certificates; empty: no agent link");

  public static final Setting<String> AGENT_LINK_HOSTS =
      Setting.list(
          "agentLinkHosts",
          "File with the hosts that may connect, one in a line, read again when it changes; empty:"
              + " all that have a certificate");

  public static final Setting<String> AGENT_LINK_REVOKED =
      Setting.list(
          "agentLinkRevoked",
          "File with the authority's list of revoked certificates (CRL), read again when it"
              + " changes; empty: none is revoked");

  /** Agents renew three times per lease, and a pause of a JVM must not end it. */
  public static final Setting<Integer> LEASE_MILLIS =
      Setting.number(
          "leaseMillis",
          5000,
          500,
          600_000,
          "How long agents keep a controller node's decisions after its last message, in"
              + " milliseconds");

  public static final Setting<Boolean> FAST_COUNTERS =
      Setting.toggle(
          "fastCounters",
          true,
          "on: switches connect to the controller, which reads their counters every few"
              + " milliseconds; off: counters come as the controller platform polls them");

  public static final Setting<Integer> FAST_COUNTERS_PORT =
      Setting.number(
          "fastCountersPort",
          6654,
          1,
          65535,
          "TCP port on which the controller listens for switches (fastCounters)");

  public static final Setting<Signals> SIGNALS =
      Setting.choice(
          "signals",
          Signals.AUTO,
          "auto: CE marks are counted by port agents, else by hosts, else by meters; hosts, meters"
              + " or ports: by these alone");

  /** How notices are to reach hosts; {@link Parameters#noticesInBand} has whether they can. */
  public static final Setting<Notices> NOTICES =
      Setting.choice(
          "notices",
          Notices.LINK,
          "link: notices travel by the agent link; in-band: as packets of their own, or by the"
              + " link where that is impossible");

  public static final Setting<NoticeFormat> NOTICE_FORMAT =
      Setting.choice(
          "noticeFormat",
          NoticeFormat.V1,
          "v1: notices in band are signed and numbered; sdn-gcc: SDN-GCC's two bytes, which"
              + " anybody could forge");

  /** Below 143, IP protocol numbers are others'; so agents accept it. */
  public static final Setting<Integer> NOTICE_PROTOCOL =
      Setting.number(
          "noticeProtocol",
          253,
          143,
          254,
          "IP protocol number of notices in band, the same as agents' controlProtocol");

  public static final Setting<Deadlines> DEADLINES =
      Setting.choice(
          "deadlines",
          Deadlines.ACROSS,
          "across: flows with admitted deadlines may exceed their endpoints' shares; within-share:"
              + " they may not; off: deadlines are refused");

  public static final Setting<Integer> DEADLINES_PER_TENANT =
      Setting.number(
          "deadlinesPerTenant",
          10_000,
          0,
          1_000_000,
          "Maximum number of a tenant's open registrations");

  public static final Setting<Integer> DEADLINES_PER_HOST =
      Setting.number(
          "deadlinesPerHost",
          2_000,
          0,
          1_000_000,
          "Maximum number of open registrations of the endpoints of one host together");

  /** 30 days at most: no forecast of the network reaches further. */
  public static final Setting<Integer> DEADLINE_HORIZON_MINUTES =
      Setting.number(
          "deadlineHorizonMinutes",
          1440,
          1,
          43_200,
          "Maximum time from now to a deadline, in minutes");

  public static final Setting<WindowScheme> WINDOWS =
      Setting.choice(
          "windows",
          WindowScheme.EDF,
          "edf: windows by earliest deadline first; sed: by SED's Algorithm 2 as published");

  public static final Setting<Expired> EXPIRED =
      Setting.choice(
          "expired",
          Expired.DEMOTE,
          "demote: flows whose deadline has passed continue without one; drop: they are stopped");

  /** Who is to report connections; {@link Parameters#switchFlows} has whether switches can. */
  public static final Setting<Flows> FLOWS =
      Setting.choice(
          "flows",
          Flows.HOST,
          "host: agents report the begin and end of a registered flow's connection; switch: the"
              + " source's edge switch does, by packet-in");

  public static final Setting<Boolean> LOSS_ANSWERS =
      Setting.toggle(
          "lossAnswers",
          true,
          "on: while deadlines are registered, port agents report the segments that they drop, and"
              + " these are sent again; off: they do not");

  public static final Setting<LossAnswersBy> LOSS_ANSWERS_BY =
      Setting.choice(
          "lossAnswersBy",
          LossAnswersBy.AGENTS,
          "agents: the agent of the port that dropped a packet retransmits it; packet-out: the"
              + " controller does, by packet-out");

  /** Not on by default before it has shown that it helps. */
  public static final Setting<Caps> CAPS =
      Setting.choice(
          "caps",
          Caps.OFF,
          "microflow: background flows towards a port with a queue of short flows are capped"
              + " upstream by Micro-flow's Algorithm 1; sluice: to the port's residual capacity;"
              + " off: not at all");

  public static final Setting<LevelThresholds> LEVEL_THRESHOLDS =
      Setting.choice(
          "levelThresholds",
          LevelThresholds.AGENTS,
          "agents: flows drop to the next level of priority at the sizes in agents' configuration;"
              + " tuned: at sizes at which equally many flows end in each level");

  public static final Setting<ThresholdDivision> THRESHOLD_DIVISION =
      Setting.choice(
          "thresholdDivision",
          ThresholdDivision.OFF,
          "off: port agents mark at their configured thresholds; port, switch: DA-DCTCP divides"
              + " these among a port's levels, or among all queues of a switch's ports");

  public static final Setting<Integer> LEVELS =
      Setting.number(
          "levels",
          4,
          MicroFlowParameters.LEAST_LEVELS,
          MicroFlowParameters.MOST_LEVELS,
          "Number of levels of priority of agents, for levelThresholds = tuned; agents with"
              + " another number keep their own thresholds");

  public static final Setting<Integer> BACKGROUND_KILOBYTES =
      Setting.number(
          "backgroundKilobytes",
          16,
          1,
          1_000_000,
          "bgt_size: a flow that has sent more is a background flow, in kB of IP packets");

  /** Agents' own default is 0. */
  public static final Setting<Integer> BACKGROUND_DSCP =
      Setting.number(
          "backgroundDscp",
          0,
          0,
          63,
          "DSCP of the last level of priority, which switches' meters cap");

  /** Half of it is the shortest interval between two evaluations of a queue. */
  public static final Setting<Integer> FABRIC_ROUND_TRIP_MICROS =
      Setting.number(
          "fabricRoundTripMicros",
          1000,
          10,
          100_000,
          "RTT of the fabric without queues, in microseconds; a queue's capacity qc is what its"
              + " port carries in that time");

  /** 0 is off; the collector itself would take it for any port. */
  public static final Setting<Integer> SFLOW_PORT =
      Setting.number(
          "sflowPort",
          0,
          0,
          65535,
          "UDP port on which the controller listens for switches' sFlow datagrams; 0: it does not");

  /** As many as the collector takes. */
  public static final Setting<List<IpAddress>> SFLOW_AGENTS =
      Setting.addresses(
          "sflowAgents",
          1024,
          "Addresses of the switches whose sFlow datagrams are accepted, with commas between;"
              + " empty: none are");

  public static final Setting<String> SFLOW_ADDRESS =
      Setting.address(
          "sflowAddress",
          "Local address on which the controller listens for sFlow datagrams; empty: all of them");

  private static final List<Setting<?>> ALL =
      List.of(
          ENFORCEMENT,
          LAW,
          SPLIT,
          SHARE,
          LEARNED_MEMBERS,
          CONTROL_PERIOD_MILLIS,
          FORWARDING,
          SPREADING,
          ATTACHMENT_AGE_MINUTES,
          ADDRESSES_PER_PORT,
          AGENT_LINK_PORT,
          AGENT_LINK_KEY,
          AGENT_LINK_CERTIFICATE,
          AGENT_LINK_TRUST,
          AGENT_LINK_HOSTS,
          AGENT_LINK_REVOKED,
          LEASE_MILLIS,
          FAST_COUNTERS,
          FAST_COUNTERS_PORT,
          SIGNALS,
          NOTICES,
          NOTICE_FORMAT,
          NOTICE_PROTOCOL,
          DEADLINES,
          DEADLINES_PER_TENANT,
          DEADLINES_PER_HOST,
          DEADLINE_HORIZON_MINUTES,
          WINDOWS,
          EXPIRED,
          FLOWS,
          LOSS_ANSWERS,
          LOSS_ANSWERS_BY,
          CAPS,
          LEVEL_THRESHOLDS,
          THRESHOLD_DIVISION,
          LEVELS,
          BACKGROUND_KILOBYTES,
          BACKGROUND_DSCP,
          FABRIC_ROUND_TRIP_MICROS,
          SFLOW_PORT,
          SFLOW_AGENTS,
          SFLOW_ADDRESS);

  /** All of them, in the order in which they are listed. */
  public static List<Setting<?>> all() {
    return ALL;
  }
}

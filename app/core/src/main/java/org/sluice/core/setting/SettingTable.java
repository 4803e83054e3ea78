// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.setting;

import java.util.List;
import org.sluice.api.IpAddress;
import org.sluice.api.Law;
import org.sluice.engine.law.DeadlineParameters.Expired;
import org.sluice.engine.law.MicroFlowParameters;
import org.sluice.engine.law.SdnGccLaw.Split;
import org.sluice.engine.law.WindowPolicy;
import org.sluice.engine.marks.Signals;

/** Every setting of the controller. What is not here cannot be set. */
public final class SettingTable {
  private SettingTable() {}

  /** Among whom congested ports are shared. */
  public enum Share {
    /** A tenant's endpoints share what the tenant is due. */
    TENANT,
    /** Each endpoint is due what its tenant's entry says, however many siblings it has. */
    ENDPOINT
  }

  /** Who forwards the tenants' packets. */
  public enum Forwarding {
    OWN,
    OTHER
  }

  /** Whether an address makes an endpoint a tenant's that its host only saw it use. */
  public enum LearnedMembers {
    /** It does not: a VM would choose its tenant itself. */
    REFUSED,
    ACCEPTED
  }

  /** What a switch spreads over equal-cost ports. */
  public enum Spreading {
    /** Each flow by itself, by the switch's hash. */
    FLOWS,
    /** All that goes to a destination by one path, which Sluice chooses and so has. */
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

  /** Whether flows with promised deadlines are let through beyond their endpoints' shares. */
  public enum Deadlines {
    /** They are, as if their endpoints had a guarantee. */
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

  /** Who sends lost packets again. */
  public enum LossAnswersBy {
    /** The agent of the port that dropped them. */
    AGENTS,
    /** The controller, by packet-out. */
    PACKET_OUT
  }

  /** What background flows towards a port where short flows wait are capped by. */
  public enum Caps {
    /** By nothing. */
    OFF,
    /** As printed. */
    MICROFLOW,
    /** By what is left of the port. */
    SLUICE
  }

  /** Who says at which sizes flows leave a level of priority for the next. */
  public enum LevelThresholds {
    /** Each agent's configuration. */
    AGENTS,
    /** The controller, by the sizes of flows that have ended. */
    TUNED
  }

  /** Among which queues marking thresholds are divided. */
  public enum ThresholdDivision {
    /** Among none: they are as agents are configured. */
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
          "on: agents limit; off: they stop limiting, everything else goes on");

  public static final Setting<Law> LAW =
      Setting.choice(
              "law",
              Law.SLUICE,
              "sluice: two time scales; sdn-gcc: SDN-GCC as printed and corrected")
          .without(
              Law.HYGENICC,
              "sluice or sdn-gcc (hygenicc needs no controller: it runs in the simulator)");

  public static final Setting<Split> SPLIT =
      Setting.choice(
          "split",
          Split.PROPORTIONAL,
          "proportional or equal: how law = sdn-gcc splits a port's marks among sources");

  /** Of no account under SDN-GCC's law, which shares among endpoints. */
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
          "refused: an address that an agent only saw a VM use makes it no tenant's member;"
              + " accepted: it does, so that VMs choose their tenants");

  /** T_i. Below a millisecond the engine thread would do nothing else. */
  public static final Setting<Integer> CONTROL_PERIOD_MILLIS =
      Setting.number(
          "controlPeriodMillis",
          5,
          1,
          1000,
          "T_i, how often the controller decides, in milliseconds");

  public static final Setting<Forwarding> FORWARDING =
      Setting.choice(
          "forwarding",
          Forwarding.OWN,
          "own: Sluice forwards; other: another application does, no rule is installed");

  /** Of no account where somebody else forwards. */
  public static final Setting<Spreading> SPREADING =
      Setting.choice(
          "spreading",
          Spreading.FLOWS,
          "flows: switches spread flows over equal-cost ports, by their own hash;"
              + " destinations: Sluice chooses a path for each destination");

  /** Of no account where somebody else forwards. */
  public static final Setting<Integer> ATTACHMENT_AGE_MINUTES =
      Setting.number(
          "attachmentAgeMinutes",
          30,
          1,
          10_080,
          "After how many minutes without traffic an address that no agent reports is forgotten");

  public static final Setting<Integer> ADDRESSES_PER_PORT =
      Setting.number(
          "addressesPerPort",
          256,
          1,
          65536,
          "How many addresses that no agent reports an edge port may have");

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
          "File with the hosts that may connect, one in a line, read anew when it changes; empty:"
              + " all that have a certificate");

  public static final Setting<String> AGENT_LINK_REVOKED =
      Setting.list(
          "agentLinkRevoked",
          "File with the authority's list of revoked certificates (CRL), read anew when it"
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
          "auto: marks are counted by port agents, else hosts, else meters; hosts, meters or"
              + " ports: by these alone");

  /** How notices are wanted to reach hosts; {@link Parameters#noticesInBand} whether they can. */
  public static final Setting<Notices> NOTICES =
      Setting.choice(
          "notices",
          Notices.LINK,
          "link: notices reach hosts by the agent link; in-band: as packets of their own, by the"
              + " link where that cannot be");

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
          "across: flows with promised deadlines go beyond their endpoints' shares; within-share:"
              + " they do not; off: there are none");

  public static final Setting<Integer> DEADLINES_PER_TENANT =
      Setting.number(
          "deadlinesPerTenant",
          10_000,
          0,
          1_000_000,
          "How many registrations that have not ended a tenant may have");

  public static final Setting<Integer> DEADLINES_PER_HOST =
      Setting.number(
          "deadlinesPerHost",
          2_000,
          0,
          1_000_000,
          "How many registrations that have not ended the endpoints of one host may have together");

  /** 30 days at most: longer ones say nothing about the network of now. */
  public static final Setting<Integer> DEADLINE_HORIZON_MINUTES =
      Setting.number(
          "deadlineHorizonMinutes", 1440, 1, 43_200, "How far ahead a deadline may be, in minutes");

  public static final Setting<WindowPolicy> WINDOWS =
      Setting.choice(
          "windows",
          WindowPolicy.EDF,
          "edf: windows by earliest deadline first; sed: as SED's Algorithm 2");

  public static final Setting<Expired> EXPIRED =
      Setting.choice(
          "expired",
          Expired.DEMOTE,
          "demote: flows whose deadline has passed go on without one; drop: they are stopped");

  /** Who is wanted to report connections; {@link Parameters#switchFlows} whether switches can. */
  public static final Setting<Flows> FLOWS =
      Setting.choice(
          "flows",
          Flows.HOST,
          "host: agents report that a registered flow's connection begins or ends; switch: the"
              + " switch of its source does, by packet-in");

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
          "agents: the agent of the port that dropped a packet sends it again; packet-out: the"
              + " controller does, by packet-out");

  /** Not on by default before it has shown that it helps. */
  public static final Setting<Caps> CAPS =
      Setting.choice(
          "caps",
          Caps.OFF,
          "microflow: background flows towards ports where short flows wait are capped upstream, as"
              + " printed; sluice: by what is left of the port; off: they are not");

  public static final Setting<LevelThresholds> LEVEL_THRESHOLDS =
      Setting.choice(
          "levelThresholds",
          LevelThresholds.AGENTS,
          "agents: flows leave a level of priority for the next as agents are configured; tuned: at"
              + " sizes by which as many flows end in each");

  public static final Setting<ThresholdDivision> THRESHOLD_DIVISION =
      Setting.choice(
          "thresholdDivision",
          ThresholdDivision.OFF,
          "off: port agents mark above what they are configured with; port, switch: DA-DCTCP"
              + " divides that anew among a port's levels, or among all queues of a switch's"
              + " ports");

  public static final Setting<Integer> LEVELS =
      Setting.number(
          "levels",
          4,
          MicroFlowParameters.LEAST_LEVELS,
          MicroFlowParameters.MOST_LEVELS,
          "How many levels of priority agents have, for levelThresholds = tuned; agents with"
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
          "backgroundDscp", 0, 0, 63, "DSCP of the last level, which switches' meters cap");

  /** Half of it is the shortest interval between two looks at a queue. */
  public static final Setting<Integer> FABRIC_ROUND_TRIP_MICROS =
      Setting.number(
          "fabricRoundTripMicros",
          1000,
          10,
          100_000,
          "RTT of the fabric without queues, in microseconds; a queue's capacity qc is what its"
              + " port carries in that time");

  /** 0, no port, where it is off: the collector itself would take any for it. */
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

// SPDX-License-Identifier: Apache-2.0
package org.sluice.onos;

/** Names and defaults of the component properties, in one place as ONOS applications keep them. */
public final class OsgiPropertyConstants {
  private OsgiPropertyConstants() {}

  /** {@code on} or {@code off}: whether agents limit; everything else goes on. */
  public static final String ENFORCEMENT = "enforcement";

  public static final String ENFORCEMENT_DEFAULT = "on";

  /** {@code sluice} or {@code paper}: the law that decides. */
  public static final String LAW = "law";

  public static final String LAW_DEFAULT = "sluice";

  /** {@code proportional} or {@code equal}: how the paper's law splits marks among sources. */
  public static final String SPLIT = "split";

  public static final String SPLIT_DEFAULT = "proportional";

  /** T_i, milliseconds. */
  public static final String CONTROL_PERIOD_MILLIS = "controlPeriodMillis";

  public static final int CONTROL_PERIOD_MILLIS_DEFAULT = 5;

  /** {@code own} or {@code other}: who forwards the tenants' packets. */
  public static final String FORWARDING = "forwarding";

  public static final String FORWARDING_DEFAULT = "own";

  /** TCP port on which agents are awaited. */
  public static final String AGENT_LINK_PORT = "agentLinkPort";

  public static final int AGENT_LINK_PORT_DEFAULT = 6680;

  /** PEM file with the controller's private key; empty: no link. */
  public static final String AGENT_LINK_KEY = "agentLinkKey";

  /** PEM file with the controller's certificate; empty: no link. */
  public static final String AGENT_LINK_CERTIFICATE = "agentLinkCertificate";

  /** PEM file with the authority that signs the hosts' certificates; empty: no link. */
  public static final String AGENT_LINK_TRUST = "agentLinkTrust";

  public static final String FILE_DEFAULT = "";

  /** How long agents keep a controller node's word, milliseconds. */
  public static final String LEASE_MILLIS = "leaseMillis";

  public static final int LEASE_MILLIS_DEFAULT = 5000;

  /** {@code on} or {@code off}: whether switches are awaited for fast counters. */
  public static final String FAST_COUNTERS = "fastCounters";

  public static final String FAST_COUNTERS_DEFAULT = "on";

  /** TCP port on which switches are awaited. */
  public static final String FAST_COUNTERS_PORT = "fastCountersPort";

  public static final int FAST_COUNTERS_PORT_DEFAULT = 6654;

  /**
   * {@code flows} or {@code destinations}: what a switch spreads over its equally good ports, where
   * Sluice forwards.
   */
  public static final String SPREADING = "spreading";

  public static final String SPREADING_DEFAULT = "flows";

  /** {@code auto}, {@code hosts}, {@code meters} or {@code ports}: whose marks are believed. */
  public static final String SIGNALS = "signals";

  public static final String SIGNALS_DEFAULT = "auto";

  /** {@code link} or {@code in-band}: how notices reach hosts. */
  public static final String NOTICES = "notices";

  public static final String NOTICES_DEFAULT = "link";

  /** {@code v1} or {@code paper}: what notices in band look like. */
  public static final String NOTICE_FORMAT = "noticeFormat";

  public static final String NOTICE_FORMAT_DEFAULT = "v1";

  /** IP protocol number of notices in band; the agents' {@code controlProtocol}. */
  public static final String NOTICE_PROTOCOL = "noticeProtocol";

  public static final int NOTICE_PROTOCOL_DEFAULT = 253;

  /**
   * {@code across}, {@code within-share} or {@code off}: whether flows with promised deadlines are
   * let through beyond their endpoints' shares.
   */
  public static final String DEADLINES = "deadlines";

  public static final String DEADLINES_DEFAULT = "across";

  /** {@code edf} or {@code paper}: who gets which window at a congested port. */
  public static final String WINDOWS = "windows";

  public static final String WINDOWS_DEFAULT = "edf";

  /** {@code demote} or {@code drop}: what becomes of a flow whose deadline has passed. */
  public static final String EXPIRED = "expired";

  public static final String EXPIRED_DEFAULT = "demote";

  /**
   * {@code host} or {@code switch}: who tells that a registered flow's connection begins or ends.
   */
  public static final String FLOWS = "flows";

  public static final String FLOWS_DEFAULT = "host";

  /** {@code on} or {@code off}: whether packets that port agents drop are answered for. */
  public static final String LOSS_ANSWERS = "lossAnswers";

  public static final String LOSS_ANSWERS_DEFAULT = "on";
}

// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.setting;

/** The order in which what was installed is taken back when the application goes for good. */
public enum WithdrawStage {
  /** Rules that copy connections' packets to the controller: before registrations go. */
  SWITCH_FLOWS,
  /** Background queues, caps and their meters: while port agents are still connected. */
  QUEUES,
  /** Windows and registrations: while hosts are still connected. */
  DEADLINES,
  /** Hints for hosts' own TCP: while hosts are still connected. */
  HINTS,
  /** The agent link, the counters and switches' samples. */
  LINK,
  /** Notices' keys. */
  NOTICES,
  /** Profiles and the key between agents. */
  PROFILES,
  /** Packet requests. */
  PACKETS,
  /** Rules, meters and groups. */
  FORWARDING
}

// SPDX-License-Identifier: Apache-2.0
package org.sluice.sflow;

/** Why a well-formed flow sample adds to no flow. */
public enum UnusableSample {
  /** It has no record of a packet that could be read. */
  NO_PACKET,
  /** The packet is not of IP. */
  NOT_IP,
  /** The packet is neither of TCP nor of UDP, or its extension headers do not end. */
  NOT_TCP_OR_UDP,
  /** What was sampled of the packet ends before the ports. */
  CUT,
  /** A fragment but the first, which has no ports. */
  FRAGMENT,
  /** Header fields, addresses or ports that no flow has. */
  MALFORMED,
  /** It was taken where the packet left the switch; it was sampled where it came in, too. */
  EGRESS
}

// SPDX-License-Identifier: Apache-2.0
package org.sluice.sflow;

/** Why a datagram, or a sample of one, is malformed. */
public enum DatagramFault {
  /** Not of version 5. */
  VERSION,
  /** The agent's address is neither of IPv4 nor of IPv6. */
  ADDRESS_TYPE,
  /** The datagram ends before what it announces. */
  TRUNCATED,
  /** More samples or records than there is space for. */
  COUNT,
  /** A structure is shorter than its fields, or longer than what it is in. */
  LENGTH,
  /** A sampling rate or the length of a frame that no switch has. */
  VALUE,
  /** There are bytes behind the last sample. */
  TRAILING
}

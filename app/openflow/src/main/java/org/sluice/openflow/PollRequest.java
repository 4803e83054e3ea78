// SPDX-License-Identifier: Apache-2.0
package org.sluice.openflow;

/** One thing to ask a switch for. */
final class PollRequest {
  /** What is read. */
  enum Kind {
    PORT,
    METER
  }

  /** Header 8, multipart head 8, body 8 bytes; the same for a port and for a meter. */
  static final int REQUEST_BYTES = 24;

  /** Header 8, multipart head 8, one port's counters 112 bytes. */
  static final int PORT_REPLY_BYTES = 128;

  /** Header 8, multipart head 8, one meter's counters 40 and one band's 16 bytes. */
  static final int METER_REPLY_BYTES = 72;

  private final Kind kind;
  private final long number;

  PollRequest(Kind kind, long number) {
    this.kind = kind;
    this.number = number;
  }

  Kind kind() {
    return kind;
  }

  /** Of the port or meter. */
  long number() {
    return number;
  }

  /** OpenFlow bytes of request and reply together, as far as they are known beforehand. */
  int expectedBytes() {
    return REQUEST_BYTES + (kind == Kind.PORT ? PORT_REPLY_BYTES : METER_REPLY_BYTES);
  }

  @Override
  public String toString() {
    return kind + " " + number;
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.sluice.polling;

/** One port or meter to request of a switch, or all of a kind. */
public final class PollRequest {
  /** What is read. */
  public enum Kind {
    /** A switch may have hundreds of which we read two. */
    PORT(112, 8),
    /** With one band. Hardly anybody else's are on a switch. */
    METER(56, 2);

    private final int entryBytes;
    private final int worthAGuess;

    Kind(int entryBytes, int worthAGuess) {
      this.entryBytes = entryBytes;
      this.worthAGuess = worthAGuess;
    }

    /** From how many on it is worth requesting all without knowing how many the switch has. */
    int worthAGuess() {
      return worthAGuess;
    }

    /** OpenFlow bytes of a reply about so many. */
    public long replyBytes(int entries) {
      return REPLY_HEAD_BYTES + (long) entries * entryBytes;
    }
  }

  /** Header 8, multipart head 8, body 8 bytes; the same for a port and for a meter. */
  public static final int REQUEST_BYTES = 24;

  /** Header 8, multipart head 8 bytes. */
  private static final int REPLY_HEAD_BYTES = 16;

  /** OFPP_ANY and OFPM_ALL; OpenFlow 1.3.5, sections 7.2.1 and 7.3.4.4. */
  private static final long ALL = 0xffffffffL;

  private final Kind kind;
  private final long number;

  /** A request for one port or meter. */
  public PollRequest(Kind kind, long number) {
    this.kind = kind;
    this.number = number;
  }

  /** One request for all ports or meters of the switch. */
  public static PollRequest forAll(Kind kind) {
    return new PollRequest(kind, ALL);
  }

  public Kind kind() {
    return kind;
  }

  public boolean isForAll() {
    return number == ALL;
  }

  /** Of the port or meter, or the protocol's number for all of them. */
  public long number() {
    return number;
  }

  @Override
  public String toString() {
    return kind + " " + (isForAll() ? "all" : number);
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.shim.host;

/** Traffic between one of a host's endpoints and one elsewhere: counters, and who knows of them. */
public final class PairState {
  public final LocalEndpoint local;

  /** The other endpoint's number. */
  public final int remote;

  public long sentPackets;
  public long sentBytes;
  public long receivedPackets;
  public long receivedBytes;
  public long cePackets;

  /** The slot of the endpoint's classes in which what it sends waits. */
  public int slot;

  /** Something has passed since the shim's last look. */
  boolean touched;

  /** What the laws know. */
  public long knownSentBytes;

  /** What the sender's shim was told last, and how often it was told. */
  public long fedPackets;

  public long fedBytes;
  public long fedNanos = Long.MIN_VALUE / 2;

  public long feedbackSequence;

  /** Marks that it knows of, and when it was passed a share last. */
  public long fedCePackets;

  public long sharePassedNanos = Long.MIN_VALUE / 2;

  /** What the receiver's shim told last; sequence 0: nothing yet. */
  public long heardSequence;

  public long heardPackets;
  public long heardMarks;
  public long heardBytes;

  /** Marks that wait to be reflected (HyGenICC), and when a message with marks went last. */
  public long unreflectedMarks;

  public long reflectedNanos;
  public boolean waitsToReflect;

  /** What the controller knows. */
  public final Reported reported = new Reported();

  public PairState(LocalEndpoint local, int remote) {
    this.local = local;
    this.remote = remote;
  }

  /** Counters as a controller was told them. */
  public static final class Reported {
    private static final long NEVER = Long.MIN_VALUE / 2;

    public long sentPackets;
    public long sentBytes;
    public long receivedPackets;
    public long receivedBytes;
    public long cePackets;

    /** When each direction was told last. */
    public long sentNanos = NEVER;

    public long receivedNanos = NEVER;

    /** Marks at the last look. */
    public long seenCePackets;

    public boolean waiting;

    /** A new session: what was before is not its business. */
    public void begin(PairState pair) {
      takeSent(pair, NEVER);
      takeReceived(pair, NEVER);
      seenCePackets = pair.cePackets;
      waiting = false;
    }

    public void takeSent(PairState pair, long nowNanos) {
      sentPackets = pair.sentPackets;
      sentBytes = pair.sentBytes;
      sentNanos = nowNanos;
    }

    public void takeReceived(PairState pair, long nowNanos) {
      receivedPackets = pair.receivedPackets;
      receivedBytes = pair.receivedBytes;
      cePackets = pair.cePackets;
      receivedNanos = nowNanos;
    }
  }
}

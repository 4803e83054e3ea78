// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.shim;

/** Traffic between one of a host's endpoints and one elsewhere: counters, and who knows of them. */
final class PairState {
  final LocalEndpoint local;

  /** The other endpoint's number. */
  final int remote;

  long sentPackets;
  long sentBytes;
  long receivedPackets;
  long receivedBytes;
  long cePackets;

  /** The slot of the endpoint's classes in which what it sends waits. */
  int slot;

  /** Something has passed since the shim's last look. */
  boolean touched;

  /** What the laws know. */
  long knownSentBytes;

  /** What the sender's shim was told last, and how often it was told. */
  long fedPackets;

  long fedBytes;
  long fedNanos = Long.MIN_VALUE / 2;

  long feedbackSequence;

  /** Marks that it knows of, and when it was passed a share last. */
  long fedCePackets;

  long sharePassedNanos = Long.MIN_VALUE / 2;

  /** What the receiver's shim told last; sequence 0: nothing yet. */
  long heardSequence;

  long heardPackets;
  long heardMarks;
  long heardBytes;

  /** Marks that wait to be reflected (HyGenICC), and when a message with marks went last. */
  long unreflectedMarks;

  long reflectedNanos;
  boolean waitsToReflect;

  /** What the controller knows. */
  final Reported reported = new Reported();

  PairState(LocalEndpoint local, int remote) {
    this.local = local;
    this.remote = remote;
  }

  /** Counters as a controller was told them. */
  static final class Reported {
    private static final long NEVER = Long.MIN_VALUE / 2;

    long sentPackets;
    long sentBytes;
    long receivedPackets;
    long receivedBytes;
    long cePackets;

    /** When each direction was told last. */
    long sentNanos = NEVER;

    long receivedNanos = NEVER;

    /** Marks at the last look. */
    long seenCePackets;

    boolean waiting;

    /** A new session: what was before is not its business. */
    void begin(PairState pair) {
      takeSent(pair, NEVER);
      takeReceived(pair, NEVER);
      seenCePackets = pair.cePackets;
      waiting = false;
    }

    void takeSent(PairState pair, long nowNanos) {
      sentPackets = pair.sentPackets;
      sentBytes = pair.sentBytes;
      sentNanos = nowNanos;
    }

    void takeReceived(PairState pair, long nowNanos) {
      receivedPackets = pair.receivedPackets;
      receivedBytes = pair.receivedBytes;
      cePackets = pair.cePackets;
      receivedNanos = nowNanos;
    }
  }
}

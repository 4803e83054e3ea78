// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.shim.host;

import org.sluice.sim.packet.Packet;
import org.sluice.sim.shim.feedback.ReceivedFeedback;
import org.sluice.sim.shim.feedback.SentFeedback;
import org.sluice.sim.shim.law.HyGenIccReceiver;

/** Traffic between one of a host's endpoints and one elsewhere: counters, and who has them. */
public final class PairState {
  public final LocalEndpoint local;

  /** The other endpoint's number. */
  public final int remote;

  public long sentPackets;
  public long sentBytes;
  public long receivedPackets;
  public long receivedBytes;
  public long cePackets;

  /** Others that exceeded the receive ceiling of the local endpoint. */
  public long phantomCePackets;

  /** The slot of the endpoint's classes in which what it sends waits. */
  public int slot;

  /** It would send more than it may. */
  public boolean waits;

  /** When the laws last counted what it sent, ns. */
  public long sentNanos;

  /** Something has passed since the shim's last turn. */
  boolean touched;

  /** What the laws have counted of {@link #sentBytes}. */
  public long countedSentBytes;

  /** What the sender's shim was sent about packets from there. */
  public final SentFeedback sentFeedback = new SentFeedback();

  /** What the receiver's shim has sent about packets to there. */
  public final ReceivedFeedback receivedFeedback = new ReceivedFeedback();

  /** What the controller was sent. */
  public final ReportedCounters reported = new ReportedCounters();

  /** HyGenICC's marks of packets from there. */
  public final HyGenIccReceiver reflection = new HyGenIccReceiver();

  /** The shim evaluates {@link #reflection} in its turns. */
  public boolean awaitsReflection;

  /** The least round trip so far between the two shims, ns; 0: none is known yet. */
  public long leastRoundTripNanos;

  PairState(LocalEndpoint local, int remote) {
    this.local = local;
    this.remote = remote;
  }

  /** What is reported to the other shim as marked. */
  public long markedPackets() {
    return cePackets + phantomCePackets;
  }

  /**
   * Takes what a message of the other shim shows of the round trip. Simulated clocks agree, so the
   * way here, twice, stands for the echo that agents send each other.
   */
  public void measureRoundTrip(Packet message, long nowNanos) {
    long took = Math.max(1, 2 * (nowNanos - message.timestampNanos));
    if (leastRoundTripNanos == 0 || took < leastRoundTripNanos) {
      leastRoundTripNanos = took;
    }
  }
}

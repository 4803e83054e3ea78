// SPDX-License-Identifier: Apache-2.0
package org.sluice.sflow;

import com.google.auto.value.AutoValue;
import org.sluice.api.IpAddress;
import org.sluice.api.deadline.FlowKey;

/** What a flow has sent, estimated from sampled packets of it. */
@AutoValue
public abstract class FlowEstimate {
  /** Of a normal distribution, 95 % lie within this many standard errors. */
  private static final double CONFIDENCE_95 = 1.96;

  /** Its transport. */
  public enum Protocol {
    TCP,
    UDP
  }

  /** Whether it goes on. */
  public enum State {
    ACTIVE,
    /** A packet with FIN or RST was sampled. */
    FINISHED,
    /** Nothing of it was sampled for long. */
    IDLE,
    /** It is not followed any more: there are too many others. */
    EVICTED
  }

  static Builder builder() {
    return new AutoValue_FlowEstimate.Builder();
  }

  /** Exact. */
  public abstract FlowKey flow();

  public abstract Protocol protocol();

  /**
   * IP bytes (header and payload of IP) since its first sampled packet: the sum over its samples of
   * sampling rate times IP bytes of the packet.
   */
  public abstract long sentBytes();

  /**
   * Standard error of {@link #sentBytes}: the root of the sum over its samples of r (r - 1) b^2, r
   * the sampling rate and b the IP bytes (Horvitz and Thompson's for independent samples). 0 where
   * every packet is sampled.
   */
  public abstract double standardErrorBytes();

  /** Sampled packets that the estimate is from. */
  public abstract long samples();

  /** Whose samples are counted now: the address that its datagrams come from. */
  public abstract IpAddress agent();

  /** ifIndex where the switch had the last of these packets from; 0: it does not say. */
  public abstract long inputInterface();

  /** ifIndex where the switch sent it; 0: several, none, or it does not say. */
  public abstract long outputInterface();

  public abstract State state();

  /**
   * How far off the estimate may be, of itself, at 95 % confidence; about 1.96/√samples for packets
   * of one size, of which sFlow's theory is 196/√samples percent (Phaal and Panchen, "Packet
   * Sampling Basics").
   */
  public final double relativeError95() {
    return sentBytes() == 0 ? 0 : CONFIDENCE_95 * standardErrorBytes() / sentBytes();
  }

  /** Makes one. */
  @AutoValue.Builder
  abstract static class Builder {
    abstract Builder flow(FlowKey value);

    abstract Builder protocol(Protocol value);

    abstract Builder sentBytes(long value);

    abstract Builder standardErrorBytes(double value);

    abstract Builder samples(long value);

    abstract Builder agent(IpAddress value);

    abstract Builder inputInterface(long value);

    abstract Builder outputInterface(long value);

    abstract Builder state(State value);

    abstract FlowEstimate build();
  }
}

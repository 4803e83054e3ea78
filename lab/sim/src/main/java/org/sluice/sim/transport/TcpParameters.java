// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.transport;

import java.util.Objects;

/** How a TCP connection behaves, at both ends. Immutable but for what routes say. */
public final class TcpParameters {
  /** IPv4 and TCP headers without options, bytes. */
  public static final int HEADER_BYTES = 40;

  /** A sender and receiver as an ordinary host has them: NewReno with SACK, no ECN. */
  public static final TcpParameters DEFAULTS = builder().build();

  private final int mssBytes;
  private final int initialWindowSegments;
  private final int growthLimitSegments;
  private final long rtoInitialNanos;
  private final long rtoMinNanos;
  private final long rtoMaxNanos;
  private final boolean delayedAck;
  private final long delayedAckNanos;
  private final int quickAckSegments;
  private final boolean halvesWindows;
  private final boolean sack;
  private final boolean timestamps;
  private final EcnMode ecn;
  private final boolean ectOnSyn;
  private final long receiveWindowBytes;
  private final CongestionControls congestionControl;
  private final double dctcpGain;
  private final RouteTable routes;
  private final long queueBoundNanos;

  private TcpParameters(Builder from) {
    mssBytes = from.mssBytes;
    initialWindowSegments = from.initialWindowSegments;
    growthLimitSegments = from.growthLimitSegments;
    rtoInitialNanos = from.rtoInitialNanos;
    rtoMinNanos = from.rtoMinNanos;
    rtoMaxNanos = from.rtoMaxNanos;
    delayedAck = from.delayedAck;
    delayedAckNanos = from.delayedAckNanos;
    quickAckSegments = from.quickAckSegments;
    halvesWindows = from.halvesWindows;
    sack = from.sack;
    timestamps = from.timestamps;
    congestionControl = from.congestionControl;
    ecn = from.ecn != null ? from.ecn : congestionControl.ecn();
    ectOnSyn = from.ectOnSyn;
    receiveWindowBytes = from.receiveWindowBytes;
    dctcpGain = from.dctcpGain;
    routes = from.routes;
    queueBoundNanos = from.queueBoundNanos;
  }

  public static Builder builder() {
    return new Builder();
  }

  /** A builder that starts from these. */
  public Builder toBuilder() {
    return new Builder(this);
  }

  /** Payload of a full segment, bytes. */
  public int mssBytes() {
    return mssBytes;
  }

  /** Initial window, segments (RFC 6928). */
  public int initialWindowSegments() {
    return initialWindowSegments;
  }

  /** By how many segments one acknowledgement may open the window in slow start (RFC 3465's L). */
  public int growthLimitSegments() {
    return growthLimitSegments;
  }

  /** RTO before the first round trip is known, ns. */
  public long rtoInitialNanos() {
    return rtoInitialNanos;
  }

  /** RTO_min, ns. */
  public long rtoMinNanos() {
    return rtoMinNanos;
  }

  /** RTO's upper bound, ns. */
  public long rtoMaxNanos() {
    return rtoMaxNanos;
  }

  /** Whether only every second segment is acknowledged. */
  public boolean delayedAck() {
    return delayedAck;
  }

  /** How long a single segment waits for its acknowledgement, ns. */
  public long delayedAckNanos() {
    return delayedAckNanos;
  }

  /** How many segments of a connection are acknowledged at once before any waits. */
  public int quickAckSegments() {
    return quickAckSegments;
  }

  /**
   * Whether segments are at most half of the widest window that the peer has offered, as Linux has
   * it: a window of one segment is then two packets.
   */
  public boolean halvesWindows() {
    return halvesWindows;
  }

  /** Whether selective acknowledgements are used (RFC 2018, RFC 6675), else RFC 6582 alone. */
  public boolean sack() {
    return sack;
  }

  /** Whether every acknowledgement measures the round trip (RFC 7323), else Karn's rule holds. */
  public boolean timestamps() {
    return timestamps;
  }

  public EcnMode ecn() {
    return ecn;
  }

  /** Whether SYN and SYN-ACK are ECT(0) where ECN is used, so that marking queues spare them. */
  public boolean ectOnSyn() {
    return ectOnSyn;
  }

  /** The receive buffer, bytes: the window that the receiver advertises. */
  public long receiveWindowBytes() {
    return receiveWindowBytes;
  }

  public CongestionControls congestionControl() {
    return congestionControl;
  }

  /** DCTCP's g (RFC 8257, section 4.2). */
  public double dctcpGain() {
    return dctcpGain;
  }

  /** Routes of the hosts, which may say otherwise at any time; null for none. */
  public RouteTable routes() {
    return routes;
  }

  /** What full queues on the way add to a round trip, ns: DA-DCTCP's RTTmax - RTprop. */
  public long queueBoundNanos() {
    return queueBoundNanos;
  }

  /** Collects parameters; {@link #build} checks them. */
  public static final class Builder {
    private int mssBytes = 1460;
    private int initialWindowSegments = 10;
    private int growthLimitSegments = 2;
    private long rtoInitialNanos = 1_000_000_000L;
    private long rtoMinNanos = 200_000_000L;
    private long rtoMaxNanos = 60_000_000_000L;
    private boolean delayedAck = true;
    private long delayedAckNanos = 40_000_000L;
    private int quickAckSegments;
    private boolean halvesWindows;
    private boolean sack = true;
    private boolean timestamps = true;
    private EcnMode ecn;
    private boolean ectOnSyn;
    private long receiveWindowBytes = 4 << 20;
    private CongestionControls congestionControl = CongestionControls.NEW_RENO;
    private double dctcpGain = 1.0 / 16;
    private RouteTable routes;
    private long queueBoundNanos = 500_000L;

    private Builder() {}

    private Builder(TcpParameters from) {
      mssBytes = from.mssBytes;
      initialWindowSegments = from.initialWindowSegments;
      growthLimitSegments = from.growthLimitSegments;
      rtoInitialNanos = from.rtoInitialNanos;
      rtoMinNanos = from.rtoMinNanos;
      rtoMaxNanos = from.rtoMaxNanos;
      delayedAck = from.delayedAck;
      delayedAckNanos = from.delayedAckNanos;
      quickAckSegments = from.quickAckSegments;
      halvesWindows = from.halvesWindows;
      sack = from.sack;
      timestamps = from.timestamps;
      ecn = from.ecn;
      ectOnSyn = from.ectOnSyn;
      receiveWindowBytes = from.receiveWindowBytes;
      congestionControl = from.congestionControl;
      dctcpGain = from.dctcpGain;
      routes = from.routes;
      queueBoundNanos = from.queueBoundNanos;
    }

    /** Payload of a full segment, bytes; 1 to 65495. */
    public Builder mssBytes(int value) {
      mssBytes = value;
      return this;
    }

    /** At least 1. */
    public Builder initialWindowSegments(int value) {
      initialWindowSegments = value;
      return this;
    }

    /** At least 1; RFC 3465 allows 2, and RFC 5681 as printed is 1. */
    public Builder growthLimitSegments(int value) {
      growthLimitSegments = value;
      return this;
    }

    /** Above 0. */
    public Builder rtoInitialNanos(long value) {
      rtoInitialNanos = value;
      return this;
    }

    /** Above 0. */
    public Builder rtoMinNanos(long value) {
      rtoMinNanos = value;
      return this;
    }

    /** At least the others. */
    public Builder rtoMaxNanos(long value) {
      rtoMaxNanos = value;
      return this;
    }

    public Builder delayedAck(boolean value) {
      delayedAck = value;
      return this;
    }

    /** Above 0; RFC 9293 requires at most half a second. */
    public Builder delayedAckNanos(long value) {
      delayedAckNanos = value;
      return this;
    }

    /** At least 0; Linux has at most 16. */
    public Builder quickAckSegments(int value) {
      quickAckSegments = value;
      return this;
    }

    public Builder halvesWindows(boolean value) {
      halvesWindows = value;
      return this;
    }

    public Builder sack(boolean value) {
      sack = value;
      return this;
    }

    public Builder timestamps(boolean value) {
      timestamps = value;
      return this;
    }

    /** Not given: as the congestion control needs it, else off. */
    public Builder ecn(EcnMode value) {
      ecn = Objects.requireNonNull(value, "ecn");
      return this;
    }

    public Builder ectOnSyn(boolean value) {
      ectOnSyn = value;
      return this;
    }

    /** At least one segment, at most 1 GiB (RFC 7323). */
    public Builder receiveWindowBytes(long value) {
      receiveWindowBytes = value;
      return this;
    }

    public Builder congestionControl(CongestionControls value) {
      congestionControl = Objects.requireNonNull(value, "congestionControl");
      return this;
    }

    /**
     * By name.
     *
     * @throws IllegalArgumentException if there is none of that name
     */
    public Builder congestionControl(String name) {
      return congestionControl(CongestionControls.named(name));
    }

    /** Above 0, at most 1. */
    public Builder dctcpGain(double value) {
      dctcpGain = value;
      return this;
    }

    /** Null for none. */
    public Builder routes(RouteTable value) {
      routes = value;
      return this;
    }

    /** At least 0. */
    public Builder queueBoundNanos(long value) {
      queueBoundNanos = value;
      return this;
    }

    /**
     * @throws IllegalArgumentException naming the first value out of its range
     */
    public TcpParameters build() {
      require(mssBytes >= 1 && mssBytes <= 65495, "mssBytes", mssBytes, "1 to 65495");
      atLeast("initialWindowSegments", initialWindowSegments, 1);
      atLeast("growthLimitSegments", growthLimitSegments, 1);
      atLeast("rtoInitialNanos", rtoInitialNanos, 1);
      atLeast("rtoMinNanos", rtoMinNanos, 1);
      atLeast("rtoMaxNanos", rtoMaxNanos, Math.max(rtoMinNanos, rtoInitialNanos));
      atLeast("delayedAckNanos", delayedAckNanos, 1);
      atLeast("quickAckSegments", quickAckSegments, 0);
      require(
          receiveWindowBytes >= mssBytes && receiveWindowBytes <= 1 << 30,
          "receiveWindowBytes",
          receiveWindowBytes,
          "one segment (" + mssBytes + ") to 1073741824");
      require(dctcpGain > 0 && dctcpGain <= 1, "dctcpGain", dctcpGain, "above 0, at most 1");
      atLeast("queueBoundNanos", queueBoundNanos, 0);
      TcpParameters built = new TcpParameters(this);
      require(
          congestionControl.ecn() != EcnMode.DCTCP || built.ecn == EcnMode.DCTCP,
          "ecn",
          built.ecn,
          "DCTCP with congestion control " + congestionControl.label());
      return built;
    }

    private static void atLeast(String name, long value, long least) {
      require(value >= least, name, value, "at least " + least);
    }

    private static void require(boolean holds, String name, Object value, String range) {
      if (!holds) {
        throw new IllegalArgumentException(name + " must be " + range + ", not " + value);
      }
    }
  }
}

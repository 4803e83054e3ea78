// SPDX-License-Identifier: Apache-2.0
package org.sluice.api.counters;

import com.google.auto.value.AutoValue;

/** How this node reads the counters of one switch. */
@AutoValue
public abstract class SwitchCounters {

  /** Starts the state of a switch of which nothing has been read. */
  public static Builder builder(String datapath) {
    return new AutoValue_SwitchCounters.Builder()
        .datapath(datapath)
        .source(CounterSource.NONE)
        .connected(false)
        .remoteAddress("")
        .requests(0)
        .replies(0)
        .timeouts(0)
        .messageBytes(0)
        .replyMicrosP50(0)
        .replyMicrosP99(0);
  }

  /** The switch as its controller names it. */
  public abstract String datapath();

  public abstract CounterSource source();

  /** Whether it has a connection on which its counters can be read. */
  public abstract boolean connected();

  /** Where it connected from; empty: nowhere. */
  public abstract String remoteAddress();

  /** Requests on this connection. */
  public abstract long requests();

  /** Requests that were answered. */
  public abstract long replies();

  /** Requests that were given up. */
  public abstract long timeouts();

  /**
   * Bytes of OpenFlow messages in both directions on this connection, headers below not counted.
   */
  public abstract long messageBytes();

  /** Median time from request to reply over the last ones, microseconds; 0: none yet. */
  public abstract long replyMicrosP50();

  /** 99 % of the last replies came within this, microseconds; 0: none yet. */
  public abstract long replyMicrosP99();

  /** The same with another source. */
  public final SwitchCounters withSource(CounterSource source) {
    return toBuilder().source(source).build();
  }

  abstract Builder toBuilder();

  /** Builds a state. */
  @AutoValue.Builder
  public abstract static class Builder {
    abstract Builder datapath(String datapath);

    public abstract Builder source(CounterSource source);

    public abstract Builder connected(boolean connected);

    public abstract Builder remoteAddress(String address);

    public abstract Builder requests(long count);

    public abstract Builder replies(long count);

    public abstract Builder timeouts(long count);

    public abstract Builder messageBytes(long bytes);

    public abstract Builder replyMicrosP50(long micros);

    public abstract Builder replyMicrosP99(long micros);

    public abstract SwitchCounters build();
  }
}

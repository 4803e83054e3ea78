// SPDX-License-Identifier: Apache-2.0
package org.sluice.api.queue;

import com.google.auto.value.AutoValue;
import org.sluice.api.PortId;

/** A cap in force: what background flows send by one port towards another, and why. */
@AutoValue
public abstract class ActiveCap {

  /** What holds them to it. */
  public enum Enforcer {
    /** A background queue of the upstream port's agent. */
    PORT_AGENT,
    /** A meter of the upstream port's switch. */
    METER,
    /** Nothing: the upstream port has no agent, and its switch takes no meter. */
    NONE
  }

  public static Builder builder(PortId upstream, PortId downstream) {
    return new AutoValue_ActiveCap.Builder().upstream(upstream).downstream(downstream);
  }

  public abstract PortId upstream();

  /** Where short flows wait. */
  public abstract PortId downstream();

  /** TR, bit/s. */
  public abstract long bitsPerSecond();

  public abstract Enforcer enforcer();

  /** How long the micro queue downstream was, packets: ql. */
  public abstract int queuePackets();

  /** TH, packets. */
  public abstract int thresholdPackets();

  public abstract double alpha();

  public abstract double beta();

  /** What guarantees of tenants whose flows pass leave it at least, bit/s; 0: nothing. */
  public abstract long floorBitsPerSecond();

  /** Background flows that it holds back. */
  public abstract int flows();

  /** When it ends unless it is renewed, ms from now. */
  public abstract long endsInMillis();

  /** Makes one. */
  @AutoValue.Builder
  public abstract static class Builder {
    abstract Builder upstream(PortId value);

    abstract Builder downstream(PortId value);

    public abstract Builder bitsPerSecond(long value);

    public abstract Builder enforcer(Enforcer value);

    public abstract Builder queuePackets(int value);

    public abstract Builder thresholdPackets(int value);

    public abstract Builder alpha(double value);

    public abstract Builder beta(double value);

    public abstract Builder floorBitsPerSecond(long value);

    public abstract Builder flows(int value);

    public abstract Builder endsInMillis(long value);

    public abstract ActiveCap build();
  }
}

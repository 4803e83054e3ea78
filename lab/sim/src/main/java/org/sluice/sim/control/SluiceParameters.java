// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.control;

import static org.sluice.api.Law.SLUICE;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.sluice.core.setting.Setting;
import org.sluice.core.setting.SettingTable;
import org.sluice.engine.EngineParameters;
import org.sluice.engine.marks.Signals;
import org.sluice.sim.platform.ChannelParameters;
import org.sluice.sim.shim.law.HostLaw;
import org.sluice.sim.shim.law.SdnGcc;
import org.sluice.sim.shim.law.SdnGccParameters;
import org.sluice.sim.shim.law.TwoTimeScale;
import org.sluice.sim.shim.law.TwoTimeScaleParameters;
import org.sluice.sim.shim.queue.Enforcement;
import org.sluice.sim.shim.sluice.ShimParameters;

/** How Sluice is deployed on a network. Immutable. */
public final class SluiceParameters {
  private final EngineParameters engine;
  private final TwoTimeScaleParameters twoTimeScale;
  private final SdnGccParameters sdnGcc;
  private final ShimParameters shim;
  private final ChannelParameters channel;
  private final List<Absence> absences;
  private final boolean portAgents;

  private SluiceParameters(Builder builder) {
    engine = builder.engine;
    twoTimeScale = builder.twoTimeScale;
    sdnGcc = builder.sdnGcc;
    channel = builder.channel;
    absences = List.copyOf(builder.absences);
    portAgents = builder.portAgents;
    shim =
        new ShimParameters(
            newLaw(),
            noticesAlone() ? engine.controlPeriodNanos() : builder.tauNanos,
            builder.enforcement,
            builder.mtuBytes,
            builder.overheadBytes,
            builder.bucketNanos,
            builder.leaseNanos,
            twoTimeScale.staleNanos(),
            builder.preserveEcn,
            noticesAlone());
  }

  /** Then hosts turn once per T_i, and send each other no feedback. */
  private boolean noticesAlone() {
    return engine.law() == SLUICE && engine.noticesAlone();
  }

  private Supplier<HostLaw> newLaw() {
    return engine.law() == SLUICE ? () -> new TwoTimeScale(twoTimeScale) : () -> new SdnGcc(sdnGcc);
  }

  public static Builder builder() {
    return new Builder();
  }

  /** Law, split and T_i. */
  public EngineParameters engine() {
    return engine;
  }

  /** The controller's settings, by their names; others have their defaults. */
  Map<String, String> settings() {
    Map<String, String> texts = new HashMap<>();
    put(texts, SettingTable.LAW, engine.law());
    put(texts, SettingTable.SPLIT, engine.split());
    put(texts, SettingTable.SIGNALS, engine.signals());
    int periodMillis = (int) TimeUnit.NANOSECONDS.toMillis(engine.controlPeriodNanos());
    put(texts, SettingTable.CONTROL_PERIOD_MILLIS, periodMillis);
    return texts;
  }

  private static <T> void put(Map<String, String> texts, Setting<T> setting, T value) {
    texts.put(setting.name(), setting.write(value));
  }

  /** Whether switches have port agents, which count their marks. */
  boolean portAgents() {
    return portAgents || engine.signals() == Signals.PORTS;
  }

  public ShimParameters shim() {
    return shim;
  }

  public ChannelParameters channel() {
    return channel;
  }

  public List<Absence> absences() {
    return absences;
  }

  /** Starts from the defaults. */
  public static final class Builder {
    private EngineParameters engine = EngineParameters.DEFAULTS.withSignals(Signals.HOSTS);
    private TwoTimeScaleParameters twoTimeScale = TwoTimeScaleParameters.DEFAULTS;
    private SdnGccParameters sdnGcc = SdnGccParameters.DEFAULTS;
    private ChannelParameters channel = ChannelParameters.DEFAULTS;
    private final List<Absence> absences = new ArrayList<>();
    private long tauNanos = 500_000;
    private Enforcement enforcement = Enforcement.HTB;
    private int mtuBytes = 1500;
    private int overheadBytes;
    private long bucketNanos = 25_000_000;
    private long leaseNanos = 5_000_000_000L;
    private boolean preserveEcn;
    private boolean portAgents;

    private Builder() {}

    /**
     * The law, SDN-GCC's split, T_i, and whose marks count: those of hosts unless set here, so that
     * no switch need be read.
     */
    public Builder engine(EngineParameters value) {
      engine = value;
      return this;
    }

    public Builder twoTimeScale(TwoTimeScaleParameters value) {
      twoTimeScale = value;
      return this;
    }

    public Builder sdnGcc(SdnGccParameters value) {
      sdnGcc = value;
      return this;
    }

    public Builder channel(ChannelParameters value) {
      channel = value;
      return this;
    }

    /** A time without controller. */
    public Builder absence(Absence value) {
      absences.add(value);
      return this;
    }

    /** The host loop's period, ns, above 0; Sluice's is max(500 us, 5 RTT_base). */
    public Builder tauNanos(long value) {
      tauNanos = value;
      return this;
    }

    public Builder enforcement(Enforcement value) {
      enforcement = value;
      return this;
    }

    /** Largest IP packet. */
    public Builder mtuBytes(int value) {
      mtuBytes = value;
      return this;
    }

    /** What links add to a packet. */
    public Builder overheadBytes(int value) {
      overheadBytes = value;
      return this;
    }

    /** How much of its rate a bucket holds where {@link Enforcement} is not HTB, ns. */
    public Builder bucketNanos(long value) {
      bucketNanos = value;
      return this;
    }

    /** For how long limits outlive an agent, ns. */
    public Builder leaseNanos(long value) {
      leaseNanos = value;
      return this;
    }

    /** Whether virtual machines that have agreed on ECN see marks. */
    public Builder preserveEcn(boolean value) {
      preserveEcn = value;
      return this;
    }

    /** Whether switches have port agents even where it is not these alone whose marks count. */
    public Builder portAgents(boolean value) {
      portAgents = value;
      return this;
    }

    public SluiceParameters build() {
      return new SluiceParameters(this);
    }
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.deployment;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.sluice.api.Law;
import org.sluice.core.setting.Parameters;
import org.sluice.core.setting.Setting;
import org.sluice.core.setting.SettingTable;
import org.sluice.engine.marks.Signals;
import org.sluice.sim.agent.LevelParameters;
import org.sluice.sim.platform.ChannelParameters;
import org.sluice.sim.platform.Outage;
import org.sluice.sim.shim.deadline.SedSettings;
import org.sluice.sim.shim.law.HostLaw;
import org.sluice.sim.shim.law.SdnGcc;
import org.sluice.sim.shim.law.SdnGccParameters;
import org.sluice.sim.shim.law.TwoTimeScale;
import org.sluice.sim.shim.law.TwoTimeScaleParameters;
import org.sluice.sim.shim.queue.Enforcement;
import org.sluice.sim.shim.sluice.ShimParameters;

/** How Sluice is deployed on a network. Immutable. */
public final class SluiceParameters {
  private final Map<String, String> settings;
  private final boolean limits;
  private final SedSettings deadlines;
  private final TwoTimeScaleParameters twoTimeScale;
  private final SdnGccParameters sdnGcc;
  private final ShimParameters shim;
  private final ChannelParameters channel;
  private final List<Outage> absences;
  private final List<Outage> cutOffs;
  private final long sessionLeaseNanos;
  private final boolean portAgents;
  private final int withoutAgent;
  private final boolean forwards;
  private final LevelParameters levels;
  private final LevelQueueParameters levelQueues;
  private final Optional<HintParameters> hints;

  private SluiceParameters(Builder builder) {
    settings = Map.copyOf(builder.settings);
    limits = builder.limits;
    deadlines = builder.deadlines;
    twoTimeScale = builder.twoTimeScale;
    sdnGcc = builder.sdnGcc;
    channel = builder.channel;
    absences = List.copyOf(builder.absences);
    cutOffs = List.copyOf(builder.cutOffs);
    hints = Optional.ofNullable(builder.hints);
    Parameters controller = controller();
    long periodNanos = nanos(controller, SettingTable.CONTROL_PERIOD_MILLIS);
    sessionLeaseNanos = nanos(controller, SettingTable.LEASE_MILLIS);
    portAgents =
        builder.portAgents
            || controller.get(SettingTable.SIGNALS) == Signals.PORTS
            || controller.get(SettingTable.CAPS) != SettingTable.Caps.OFF;
    withoutAgent = builder.withoutAgent;
    forwards = builder.forwards;
    levels = builder.levels;
    levelQueues = builder.levelQueues;
    boolean isSluice = controller.get(SettingTable.LAW) == Law.SLUICE;
    shim =
        new ShimParameters(
            newLaw(controller.get(SettingTable.LAW)),
            controller.noticesAlone() ? periodNanos : builder.tauNanos,
            isSluice ? periodNanos : builder.tauNanos,
            // F is held as long, and falls with the first packets that have no marks.
            isSluice ? twoTimeScale.holdSteps() * builder.tauNanos : Long.MAX_VALUE,
            builder.enforcement,
            builder.mtuBytes,
            builder.overheadBytes,
            builder.bucketNanos,
            builder.leaseNanos,
            twoTimeScale.staleNanos(),
            builder.preserveEcn,
            controller.noticesAlone(),
            isSluice && builder.receiverWindows);
  }

  /** What the controller makes of its settings. */
  private Parameters controller() {
    return Parameters.defaults()
        .read(
            settings::get,
            refusal -> {
              throw new IllegalArgumentException(refusal);
            });
  }

  private static long nanos(Parameters controller, Setting<Integer> millis) {
    return TimeUnit.MILLISECONDS.toNanos(controller.get(millis));
  }

  private Supplier<HostLaw> newLaw(Law law) {
    return law == Law.SLUICE ? () -> new TwoTimeScale(twoTimeScale) : () -> new SdnGcc(sdnGcc);
  }

  public static Builder builder() {
    return new Builder();
  }

  /** The controller's settings, by their names; others have their defaults. */
  Map<String, String> settings() {
    return settings;
  }

  /** Whether hosts' agents limit what their endpoints send, by the law. */
  boolean limits() {
    return limits;
  }

  /** What hosts' agents do for deadlines; empty where they do nothing. */
  public Optional<SedSettings> deadlines() {
    return Optional.ofNullable(deadlines);
  }

  /** Hints for hosts' TCP; empty: none. */
  Optional<HintParameters> hints() {
    return hints;
  }

  /** Whether switches have port agents: they report queues, and hold them to caps. */
  boolean portAgents() {
    return portAgents;
  }

  /** Of so many hosts the last has no agent; 0: all have one. */
  int withoutAgent() {
    return withoutAgent;
  }

  /** Whether the controller forwards itself; otherwise switches have the network's routes. */
  boolean forwards() {
    return forwards;
  }

  /** Hosts' levels; empty: packets leave by none. */
  Optional<LevelParameters> levels() {
    return Optional.ofNullable(levels);
  }

  /** The queues of ports that serve by these levels, if there are any. */
  LevelQueueParameters levelQueues() {
    return levelQueues;
  }

  public ShimParameters shim() {
    return shim;
  }

  public ChannelParameters channel() {
    return channel;
  }

  public List<Outage> absences() {
    return absences;
  }

  List<Outage> cutOffs() {
    return cutOffs;
  }

  /** For how long a session lasts that is silent, ns. */
  long sessionLeaseNanos() {
    return sessionLeaseNanos;
  }

  /** Starts from the defaults. */
  public static final class Builder {
    private final Map<String, String> settings = new HashMap<>();
    private boolean limits = true;
    private SedSettings deadlines;
    private TwoTimeScaleParameters twoTimeScale = TwoTimeScaleParameters.DEFAULTS;
    private SdnGccParameters sdnGcc = SdnGccParameters.DEFAULTS;
    private ChannelParameters channel = ChannelParameters.DEFAULTS;
    private final List<Outage> absences = new ArrayList<>();
    private final List<Outage> cutOffs = new ArrayList<>();
    private long tauNanos = 500_000;
    private Enforcement enforcement = Enforcement.HTB;
    private int mtuBytes = 1500;
    private int overheadBytes;
    private long bucketNanos = 25_000_000;
    private long leaseNanos = 5_000_000_000L;
    private boolean preserveEcn;
    private boolean portAgents;
    private int withoutAgent;
    private boolean forwards;
    private LevelParameters levels;
    private LevelQueueParameters levelQueues;
    private HintParameters hints;
    private boolean receiverWindows = true;

    private Builder() {}

    /** Sets one of the controller's settings. */
    public <T> Builder set(Setting<T> setting, T value) {
      return set(setting.name(), setting.write(value));
    }

    /**
     * Sets one of the controller's settings, as an operator writes it.
     *
     * @throws IllegalArgumentException from {@link #build} if it does not take the text
     */
    public Builder set(String name, String text) {
      settings.put(name, text);
      return this;
    }

    /** Whether hosts' agents limit what their endpoints send, by the law: they do unless set. */
    public Builder limits(boolean value) {
      limits = value;
      return this;
    }

    /** Has applications register deadlines with hosts' agents, and these write windows. */
    public Builder deadlines(SedSettings value) {
      deadlines = value;
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
    public Builder absence(Outage value) {
      absences.add(value);
      return this;
    }

    /** A time in which neither agents nor switches reach the controller, nor it them. */
    public Builder cutOff(Outage value) {
      cutOffs.add(value);
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

    /** Whether hosts lower the windows that their endpoints offer, beside Sluice's own law. */
    public Builder receiverWindows(boolean value) {
      receiverWindows = value;
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

    /** Leaves out the agent of the last of so many hosts, again and again; 0: of none. */
    public Builder withoutAgent(int ofHosts) {
      withoutAgent = ofHosts;
      return this;
    }

    /** Whether the controller forwards itself; otherwise switches have the network's routes. */
    public Builder forwards(boolean value) {
      forwards = value;
      return this;
    }

    /** Whether switches have port agents even where it is not these alone whose marks count. */
    public Builder portAgents(boolean value) {
      portAgents = value;
      return this;
    }

    /**
     * Hosts' packets leave by levels, and switches' ports serve by them: beside the law's limits,
     * half of which may then leave by other levels than the last, or without them.
     */
    public Builder levels(LevelParameters hosts, LevelQueueParameters ports) {
      levels = hosts;
      levelQueues = ports;
      return this;
    }

    /** Has hosts take hints, by these policies. */
    public Builder hints(HintParameters value) {
      hints = value;
      return this;
    }

    public SluiceParameters build() {
      return new SluiceParameters(this);
    }
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine;

import com.sun.management.ThreadMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.sluice.api.Law;
import org.sluice.api.counters.MeterSample;
import org.sluice.api.counters.PortSample;
import org.sluice.api.link.HostObservation;
import org.sluice.engine.marks.Signals;
import org.sluice.engine.statistics.EngineStatistics;
import org.sluice.engine.statistics.EngineStatistics.Figure;

/**
 * Measures ticks in the {@link SyntheticDataCenter}. In every period the receivers of all pairs
 * that cross a marking port report CE, and a twentieth of the hosts report what they sent and got;
 * where switches are read too, so are the meters and ports of marking links, and a twentieth of all
 * others.
 *
 * <p>{@code java -cp app/engine/target/classes:app/engine/target/test-classes:api/target/classes
 * org.sluice.engine.EngineBench [--json FILE] [SETTING...]}; exit 0 if the ticks under Sluice's law
 * keep their bounds, else 1. One setting per JVM is what a node runs: code that was compiled for
 * another one before is slower. Settings, all by default, are whose marks count: hosts', all there
 * are, or meters' alone; meters' with a sink that keeps an object of each notice, as one that sends
 * them must; and SDN-GCC's law. The last two are printed, not judged.
 *
 * <p>The settings {@code tenants} and {@code large} are of hosts' marks with tenants that share;
 * large is five times as many endpoints and pairs, of 1000 tenants. In {@code tenants-on-off} and
 * {@code large-on-off} tenants are guaranteed something besides, and pairs come and go: then shares
 * are computed anew all the time, and what changes is published anew. These two do not keep the
 * bounds; they are printed, not judged.
 */
public final class EngineBench {
  /** Bound on the median tick, ms; the other is that it allocates less than 1 B per port. */
  private static final double BOUND_MILLIS = 1;

  /** Bound on the median tick with 20,000 endpoints and 400,000 pairs, ms. */
  private static final double LARGE_BOUND_MILLIS = 5;

  /** Of 80,000 pairs and of 400,000, how many that were idle send in a period. */
  private static final int ON_OFF = 2;

  private static final int LARGE_ON_OFF = 10;

  /** A pair of 1 Mbit/s has a packet every 12 ms; half of them are marked. */
  private static final int LARGE_MARKED_EVERY = 5;

  /** Counters of switches without marks are read every 100 ms. */
  private static final int READ_EVERY = 20;

  /** As agents of hosts without new marks do, every 50 ms: by then a pair has not paused. */
  private static final int REPORT_EVERY = 10;

  private static final int WARM_UP = 600;
  private static final int MEASURED = 800;
  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

  private final String name;
  private final boolean readsSwitches;
  private final SyntheticDataCenter network;
  private final List<HostObservation> sent;

  /** By period, over and over. */
  private final List<List<HostObservation>> marked = new ArrayList<>();

  private final List<List<HostObservation>> onOff;
  private final List<HostObservation> unmarked;
  private final List<MeterSample> markedMeters;
  private final List<MeterSample> quietMeters;
  private final List<PortSample> ports;
  private final long[] tickNanos = new long[MEASURED];
  private long tickBytes;
  private long intakeNanos;
  private long intakeBytes;
  private long intakeSamples;
  private long decisions;

  private EngineBench(String name, EngineParameters parameters) {
    this.name = name;
    this.readsSwitches = parameters.signals() != Signals.HOSTS;
    network = network(name, parameters).metered();
    if (name.equals("kept")) {
      network.keepingNotices();
    }
    markedMeters = network.markedMeters();
    quietMeters = network.quietMeters();
    ports = network.portSamples();
    sent = network.allSent();
    int markedEvery = isLarge() ? LARGE_MARKED_EVERY : 1;
    for (int i = 0; i < markedEvery; i++) {
      marked.add(network.someMarked(i, markedEvery));
    }
    onOff = comesAndGoes() ? network.onOff(isLarge() ? LARGE_ON_OFF : ON_OFF) : List.of(List.of());
    unmarked = network.allUnmarked();
  }

  private static SyntheticDataCenter network(String name, EngineParameters parameters) {
    switch (name) {
      case "tenants":
        return new SyntheticDataCenter(parameters).sharedByTenants(0);
      case "tenants-on-off":
        return new SyntheticDataCenter(parameters).sharedByTenants(160_000_000);
      case "large":
        return new SyntheticDataCenter(parameters, 25, 1000).sharedByTenants(0);
      case "large-on-off":
        return new SyntheticDataCenter(parameters, 25, 1000).sharedByTenants(40_000_000);
      default:
        return new SyntheticDataCenter(parameters);
    }
  }

  private boolean isLarge() {
    return name.startsWith("large");
  }

  private boolean comesAndGoes() {
    return name.endsWith("on-off");
  }

  /** Runs all settings. */
  public static void main(String[] arguments) throws IOException {
    EngineParameters defaults = EngineParameters.DEFAULTS;
    Map<String, EngineParameters> settings = new LinkedHashMap<>();
    settings.put("hosts", defaults.withSignals(Signals.HOSTS));
    settings.put("tenants", settings.get("hosts"));
    settings.put("tenants-on-off", settings.get("hosts"));
    settings.put("large", settings.get("hosts"));
    settings.put("large-on-off", settings.get("hosts"));
    settings.put("all", defaults);
    settings.put("meters", defaults.withSignals(Signals.METERS));
    settings.put("kept", settings.get("meters"));
    settings.put("sdn-gcc", defaults.withLaw(Law.SDN_GCC).withSignals(Signals.HOSTS));
    List<String> chosen = new ArrayList<>(List.of(arguments));
    Optional<String> file = Optional.empty();
    if (!chosen.isEmpty() && chosen.get(0).equals("--json")) {
      file = Optional.of(chosen.get(1));
      chosen = chosen.subList(2, chosen.size());
    }
    if (!settings.keySet().containsAll(chosen)) {
      System.err.println("SETTING " + chosen + ": there are " + settings.keySet());
      System.exit(2);
    }
    if (!chosen.isEmpty()) {
      settings.keySet().retainAll(chosen);
    }
    boolean isKept = true;
    List<String> json = new ArrayList<>();
    for (Map.Entry<String, EngineParameters> setting : settings.entrySet()) {
      EngineBench bench = new EngineBench(setting.getKey(), setting.getValue());
      if (json.isEmpty()) {
        System.out.println(bench.describeNetwork());
      }
      bench.run();
      System.out.println(bench.describe());
      json.add(bench.json());
      isKept &= bench.isKept() || !bench.isJudged();
    }
    if (file.isPresent()) {
      Files.writeString(Paths.get(file.get()), "{" + String.join(",", json) + "}\n");
    }
    System.exit(isKept ? 0 : 1);
  }

  private boolean isJudged() {
    return !name.equals("sdn-gcc") && !name.equals("kept") && !comesAndGoes();
  }

  private boolean isKept() {
    double bound = isLarge() ? LARGE_BOUND_MILLIS : BOUND_MILLIS;
    return percentileMillis(50) < bound && bytesPerPort() < 1;
  }

  private double bytesPerPort() {
    return (double) tickBytes
        / MEASURED
        / (SyntheticDataCenter.SWITCHES * SyntheticDataCenter.PORTS_PER_SWITCH);
  }

  private void run() {
    for (int h = 0; h < sent.size(); h++) {
      network.engine.observe(sent.get(h));
      network.engine.observe(unmarked.get(h));
    }
    for (int i = 0; i < WARM_UP; i++) {
      takeIn(i);
      network.tick();
    }
    intakeNanos = 0;
    intakeBytes = 0;
    intakeSamples = -network.engine.statistics().get(Figure.SAMPLES_USED);
    decisions = -network.decisions;
    for (int i = 0; i < MEASURED; i++) {
      takeIn(i);
      long bytes = allocated();
      long start = System.nanoTime();
      network.tick();
      tickNanos[i] = System.nanoTime() - start;
      tickBytes += allocated() - bytes;
    }
    intakeSamples += network.engine.statistics().get(Figure.SAMPLES_USED);
    decisions += network.decisions;
    Arrays.sort(tickNanos);
  }

  private void takeIn(int period) {
    long bytes = allocated();
    long start = System.nanoTime();
    for (int h = period % REPORT_EVERY; h < sent.size(); h += REPORT_EVERY) {
      network.engine.observe(sent.get(h));
      network.engine.observe(unmarked.get(h));
    }
    for (HostObservation observation : marked.get(period % marked.size())) {
      network.engine.observe(observation);
    }
    for (HostObservation observation : onOff.get(period % onOff.size())) {
      network.engine.observe(observation);
    }
    if (readsSwitches) {
      takeInCounters(period);
    }
    intakeNanos += System.nanoTime() - start;
    intakeBytes += allocated() - bytes;
  }

  private void takeInCounters(int period) {
    long now = network.nowNanos();
    for (MeterSample sample : markedMeters) {
      network.engine.observe(sample, now);
    }
    for (int m = period % READ_EVERY; m < quietMeters.size(); m += READ_EVERY) {
      network.engine.observe(quietMeters.get(m), now);
    }
    for (int p = 0; p < SyntheticDataCenter.MARKING_PORTS; p++) {
      network.engine.observe(ports.get(p), now);
    }
    int from = SyntheticDataCenter.MARKING_PORTS + period % READ_EVERY;
    for (int p = from; p < ports.size(); p += READ_EVERY) {
      network.engine.observe(ports.get(p), now);
    }
  }

  private static long allocated() {
    return THREADS.getThreadAllocatedBytes(Thread.currentThread().getId());
  }

  private double percentileMillis(int percent) {
    return tickNanos[(MEASURED - 1) * percent / 100] / 1e6;
  }

  private double nanosPerSample() {
    return (double) intakeNanos / intakeSamples;
  }

  private String describeNetwork() {
    return String.format(
        Locale.ROOT,
        "%d ports, %d endpoints, %d pairs on %d paths; %d ports mark, with %d pairs; %d mark meters",
        SyntheticDataCenter.SWITCHES * SyntheticDataCenter.PORTS_PER_SWITCH,
        network.endpoints,
        network.pairs,
        network.distinctPaths(),
        SyntheticDataCenter.MARKING_PORTS,
        network.markedPairs(),
        markedMeters.size() + quietMeters.size());
  }

  private String describe() {
    EngineStatistics figures = network.engine.statistics();
    return String.format(
        Locale.ROOT,
        "%-14s tick p10 %.3f ms, p50 %.3f ms, p99 %.3f ms; %.1f B per tick, %.1f decisions per tick; "
            + "intake %.0f ns and %.2f B per sample, %d samples per tick; "
            + "%d active pairs, %d ports under control",
        name,
        percentileMillis(10),
        percentileMillis(50),
        percentileMillis(99),
        (double) tickBytes / MEASURED,
        (double) decisions / MEASURED,
        nanosPerSample(),
        (double) intakeBytes / intakeSamples,
        intakeSamples / MEASURED,
        figures.get(Figure.ACTIVE_PAIRS),
        figures.get(Figure.CONTROLLED_PORTS));
  }

  private String json() {
    return String.format(
        Locale.ROOT,
        "\"%s\":{\"tickMillisP50\":%.4f,\"tickMillisP99\":%.4f,\"tickBytes\":%.1f,"
            + "\"decisionsPerTick\":%.1f,\"intakeNanosPerSample\":%.1f}",
        name,
        percentileMillis(50),
        percentileMillis(99),
        (double) tickBytes / MEASURED,
        (double) decisions / MEASURED,
        nanosPerSample());
  }
}

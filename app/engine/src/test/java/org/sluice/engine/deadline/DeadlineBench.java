// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.deadline;

import com.sun.management.ThreadMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import org.sluice.api.IpAddress;
import org.sluice.api.PortId;
import org.sluice.api.deadline.FlowKey;
import org.sluice.engine.law.DeadlineParameters;

/**
 * Measures the allocation of windows to 10,000 flows on 100 congested ports of 10 Gbit/s, every
 * flow across two of them, half of them with deadlines. In every period of 5 ms all flows have
 * progressed, and twenty end and twenty begin, ten of those with deadlines; whether they can be
 * promised is reckoned elsewhere.
 *
 * <p>{@code java -cp app/engine/target/classes:app/engine/target/test-classes:api/target/classes
 * org.sluice.engine.deadline.DeadlineBench [--json FILE]}; exit 0 if the 99th percentile of the
 * tick keeps its bound, else 1.
 */
public final class DeadlineBench {
  /** Bound on the 99th percentile of the tick, ms. */
  private static final double BOUND_MILLIS = 2;

  private static final int PORTS = 100;
  private static final int FLOWS = 10_000;
  private static final int CHANGES = 20;
  private static final int WARM_UP = 300;
  private static final int MEASURED = 600;
  private static final long PERIOD_NANOS = 5_000_000;
  private static final long ROUND_TRIP_NANOS = 200_000;
  private static final int SEGMENT = 1460;
  private static final double BYTES_PER_SECOND = 1.2e9;
  private static final long THRESHOLD = 100L * SEGMENT;
  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

  private final SplittableRandom random = new SplittableRandom(1);
  private final List<PortId> ports = new ArrayList<>();
  private final Deque<FlowKey> alive = new ArrayDeque<>();
  private final Deadlines deadlines;
  private final long[] tickNanos = new long[MEASURED];
  private final long[] registerNanos = new long[MEASURED * CHANGES / 2];
  private int registered;
  private int named;
  private long nowNanos = 1;
  private long grants;
  private long tickBytes;
  private long openNanos;
  private long progressNanos;
  private long progressBytes;

  private DeadlineBench() {
    deadlines =
        new Deadlines(grant -> grants++, DeadlineParameters.DEFAULTS.withLatencyNanos(2_000_000));
    for (int i = 0; i < PORTS; i++) {
      PortId port = PortId.of(String.format("of:%016x", i / 10 + 1), i % 10 + 1);
      ports.add(port);
      deadlines.putPort(port, BYTES_PER_SECOND, THRESHOLD, ROUND_TRIP_NANOS);
    }
  }

  /** Runs it. */
  public static void main(String[] arguments) throws IOException {
    DeadlineBench bench = new DeadlineBench();
    bench.run();
    System.out.println(bench.describe());
    if (arguments.length == 2 && arguments[0].equals("--json")) {
      Files.write(Paths.get(arguments[1]), bench.json().getBytes(StandardCharsets.UTF_8));
    }
    System.exit(percentileMillis(bench.tickNanos, 99) < BOUND_MILLIS ? 0 : 1);
  }

  private void run() {
    for (int i = 0; i < FLOWS; i++) {
      begin(i % 2 == 0);
    }
    for (int i = 0; i < WARM_UP; i++) {
      period();
      deadlines.tick(nowNanos);
    }
    registered = 0;
    grants = 0;
    openNanos = progressNanos = progressBytes = 0;
    for (int i = 0; i < MEASURED; i++) {
      period();
      long bytes = allocated();
      long start = System.nanoTime();
      deadlines.tick(nowNanos);
      tickNanos[i] = System.nanoTime() - start;
      tickBytes += allocated() - bytes;
    }
    Arrays.sort(tickNanos);
    Arrays.sort(registerNanos, 0, registered);
  }

  private void period() {
    nowNanos += PERIOD_NANOS;
    for (PortId port : ports) {
      deadlines.queue(port, THRESHOLD, nowNanos);
    }
    long bytes = allocated();
    long start = System.nanoTime();
    long delivered = 1 + nowNanos / 20_000; // They send slowly: there is always something left.
    for (FlowKey flow : alive) {
      deadlines.progressed(flow, delivered, ROUND_TRIP_NANOS, nowNanos);
    }
    progressNanos += System.nanoTime() - start;
    progressBytes += allocated() - bytes;
    for (int i = 0; i < CHANGES; i++) {
      deadlines.closed(alive.remove(), nowNanos);
      begin(i % 2 == 0);
    }
  }

  /** The ports lie in ten pods, and a flow's two in one of them. */
  private void begin(boolean withDeadline) {
    int first = random.nextInt(PORTS);
    int second = first / 10 * 10 + (first + 1 + random.nextInt(9)) % 10;
    List<PortId> path = List.of(ports.get(first), ports.get(second));
    FlowKey flow = name(named++);
    if (withDeadline) {
      long size = 2_000_000_000L;
      long due = nowNanos + 1_000_000_000_000L + random.nextLong(1_000_000_000_000L);
      long start = System.nanoTime();
      deadlines.admit(named, flow, size, due, path, ROUND_TRIP_NANOS, true, nowNanos);
      if (registered < registerNanos.length) {
        registerNanos[registered++] = System.nanoTime() - start;
      }
    }
    long start = System.nanoTime();
    deadlines.opened(flow, path, ROUND_TRIP_NANOS, nowNanos);
    openNanos += System.nanoTime() - start;
    alive.add(flow);
  }

  private static FlowKey name(int number) {
    byte[] source = {10, (byte) (number >> 16), (byte) (number >> 8), (byte) number};
    return FlowKey.of(IpAddress.of(source), 1000, IpAddress.parse("11.0.0.1"), 80);
  }

  private static long allocated() {
    return THREADS.getThreadAllocatedBytes(Thread.currentThread().getId());
  }

  private static double percentileMillis(long[] sorted, int percent) {
    return sorted[(sorted.length - 1) * percent / 100] / 1e6;
  }

  private String describe() {
    return String.format(
        Locale.ROOT,
        "deadlines   %d flows on %d ports: tick p50 %.3f ms, p99 %.3f ms; %.0f grants and %.0f B "
            + "per tick, %.1f B per grant; progress %.0f ns and %.2f B per flow; "
            + "opened %.2f us; admitted p50 %.3f ms, p99 %.3f ms",
        alive.size(),
        PORTS,
        percentileMillis(tickNanos, 50),
        percentileMillis(tickNanos, 99),
        (double) grants / MEASURED,
        (double) tickBytes / MEASURED,
        (double) tickBytes / Math.max(1, grants),
        (double) progressNanos / MEASURED / FLOWS,
        (double) progressBytes / MEASURED / FLOWS,
        openNanos / 1e3 / (MEASURED * CHANGES),
        percentileMillis(registerNanos, 50),
        percentileMillis(registerNanos, 99));
  }

  private String json() {
    return String.format(
        Locale.ROOT,
        "{\"tickMillisP50\":%.4f,\"tickMillisP99\":%.4f,\"tickBytes\":%.1f,\"grantsPerTick\":%.1f,"
            + "\"openedMicros\":%.3f,\"admittedMillisP50\":%.4f,\"admittedMillisP99\":%.4f}%n",
        percentileMillis(tickNanos, 50),
        percentileMillis(tickNanos, 99),
        (double) tickBytes / MEASURED,
        (double) grants / MEASURED,
        openNanos / 1e3 / (MEASURED * CHANGES),
        percentileMillis(registerNanos, 50),
        percentileMillis(registerNanos, 99));
  }
}

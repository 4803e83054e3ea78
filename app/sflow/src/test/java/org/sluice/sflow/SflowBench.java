// SPDX-License-Identifier: Apache-2.0
package org.sluice.sflow;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.sluice.api.IpAddress;

/**
 * The collector under 50,000 datagrams a second of five switches over the loopback device: half of
 * them valid with 7 samples each, 4 of 10 random bytes, 1 of 10 damaged. Then one switch sends what
 * is not valid as fast as it can beside another that sends 1000 valid ones a second.
 *
 * <p>Fails if a datagram is not accounted for, or if a valid one that arrived was not taken.
 *
 * <p>Arguments: seconds of each phase (10), datagrams a second (50,000).
 */
final class SflowBench {
  private static final int SWITCHES = 5;
  private static final int SAMPLES = 7;
  private static final int FLOWS = 20_000;
  private static final int VARIANTS = 1000;
  private static final int DAMAGED_EVERY = 5;
  private static final int WARM_UP_SECONDS = 3;
  private static final int QUOTA = 20_000;
  private static final int CALM_PER_SECOND = 1000;
  private static final int SEQUENCE_AT = 16;
  private static final long SECOND_NANOS = 1_000_000_000L;
  private static final long SLICE_NANOS = 1_000_000L;
  private static final long SETTLE_NANOS = 5 * SECOND_NANOS;

  private final Random random = new Random(1);
  private final List<byte[]> valid = new ArrayList<>();
  private final List<byte[]> others = new ArrayList<>();
  private final AtomicLong reported = new AtomicLong();
  private boolean kept = true;

  private SflowBench() {
    for (int i = 0; i < VARIANTS; i++) {
      valid.add(datagram(0));
      others.add(i % DAMAGED_EVERY == 0 ? damaged() : noise());
    }
  }

  public static void main(String[] arguments) throws Exception {
    int seconds = arguments.length > 0 ? Integer.parseInt(arguments[0]) : 10;
    int perSecond = arguments.length > 1 ? Integer.parseInt(arguments[1]) : 50_000;
    SflowBench bench = new SflowBench();
    bench.mixed(seconds, perSecond);
    bench.flood(seconds);
    System.exit(bench.kept ? 0 : 1);
  }

  private byte[] datagram(int subAgent) {
    byte[][] samples = new byte[SAMPLES][];
    for (int i = 0; i < SAMPLES; i++) {
      int input = 1 + random.nextInt(48);
      byte[] packet = TestDatagram.tcp(1 + random.nextInt(FLOWS), 1500, 0);
      samples[i] = TestDatagram.flowSample(i, input, 1000, 0, input, 49, packet);
    }
    return TestDatagram.datagram(TestDatagram.AGENT, subAgent, 1, 1, samples);
  }

  private byte[] noise() {
    byte[] bytes = new byte[1 + random.nextInt(1400)];
    random.nextBytes(bytes);
    return bytes;
  }

  /** Of a sub-agent of its own, and so without a part in the sequence of what is valid. */
  private byte[] damaged() {
    byte[] bytes = datagram(9);
    int first = SEQUENCE_AT + 12; // where the samples begin
    bytes[first + random.nextInt(bytes.length - first)] ^= (byte) (1 + random.nextInt(255));
    return bytes;
  }

  private SflowCollector collector() throws Exception {
    Set<IpAddress> agents = new HashSet<>();
    for (int i = 0; i < SWITCHES; i++) {
      agents.add(IpAddress.parse(address(i)));
    }
    return SflowCollector.start(
        SflowConfig.builder()
            .address("127.0.0.1")
            .port(0)
            .agents(agents)
            .datagramsPerSecond(QUOTA)
            .build(),
        flows -> reported.addAndGet(flows.size()));
  }

  private static String address(int number) {
    return "127.0.0." + (2 + number);
  }

  /** One switch: what it has sent of what is valid. */
  private final class Sender implements AutoCloseable {
    private final DatagramChannel channel;
    private int sequence;
    private int damagedSequence;
    private long sent;

    Sender(int number, SflowCollector to) throws IOException {
      channel =
          DatagramChannel.open()
              .bind(new InetSocketAddress(InetAddress.getByName(address(number)), 0))
              .connect(new InetSocketAddress("127.0.0.1", to.port()));
    }

    void send(int number, boolean isValid) throws IOException {
      byte[] bytes = (isValid ? valid : others).get(number % VARIANTS);
      ByteBuffer datagram = ByteBuffer.wrap(bytes);
      if (isValid) {
        datagram.putInt(SEQUENCE_AT, ++sequence);
      } else if (number % VARIANTS % DAMAGED_EVERY == 0) {
        // A step back is a new beginning: none is a duplicate, and none missing.
        datagram.putInt(SEQUENCE_AT, damagedSequence -= Long.SIZE);
      }
      channel.write(datagram);
      sent++;
    }

    @Override
    public void close() throws IOException {
      channel.close();
    }
  }

  /** Sends so many a second, in slices of a millisecond, half of them valid. */
  private static void send(List<Sender> senders, double seconds, int perSecond) throws IOException {
    long start = System.nanoTime();
    long total = (long) (seconds * perSecond);
    for (long sent = 0; sent < total; ) {
      long due = (System.nanoTime() - start) * perSecond / SECOND_NANOS;
      for (; sent < Math.min(due, total); sent++) {
        senders.get((int) (sent / 2 % senders.size())).send((int) (sent % 997), sent % 2 == 0);
      }
      LockSupport.parkNanos(SLICE_NANOS);
    }
  }

  /** Waits until all that was sent has been received or dropped. */
  private static SflowCounts settled(SflowCollector collector, long sent) {
    long deadline = System.nanoTime() + SETTLE_NANOS;
    SflowCounts counts = collector.counts();
    while (accounted(counts) < sent && System.nanoTime() - deadline < 0) {
      LockSupport.parkNanos(10 * SLICE_NANOS);
      counts = collector.counts();
    }
    return counts;
  }

  private static long accounted(SflowCounts counts) {
    return counts.datagrams() + counts.kernelDropped().orElse(0);
  }

  private static long taken(SflowCounts counts) {
    return counts.datagrams()
        - counts.foreign()
        - counts.overQuota()
        - counts.allMalformed()
        - counts.duplicates();
  }

  private void mixed(int seconds, int perSecond) throws Exception {
    List<Sender> senders = new ArrayList<>();
    try (SflowCollector collector = collector()) {
      for (int i = 0; i < SWITCHES; i++) {
        senders.add(new Sender(i, collector));
      }
      send(senders, WARM_UP_SECONDS, perSecond);
      SflowCounts before = settled(collector, sent(senders));
      long cpuBefore = cpuNanos();
      long start = System.nanoTime();
      send(senders, seconds, perSecond);
      double elapsed = (System.nanoTime() - start) / (double) SECOND_NANOS;
      SflowCounts after = settled(collector, sent(senders));
      double cpu = (cpuNanos() - cpuBefore) / (double) SECOND_NANOS;

      long received = after.datagrams() - before.datagrams();
      long validSent = senders.stream().mapToLong(each -> each.sequence).sum();
      boolean isAccounted = accounted(after) == sent(senders);
      // Its last ones may be missing without a gap, if the kernel has dropped them.
      long validSeen = validSent - after.lostDatagrams();
      boolean isTaken = validSeen + after.kernelDropped().orElse(0) >= validSent;
      print(
          "mixed: %d datagrams in %.1f s, %.0f a second; received %d, dropped by the kernel %d",
          (long) seconds * perSecond,
          elapsed,
          seconds * perSecond / elapsed,
          received,
          after.kernelDropped().orElse(-1) - before.kernelDropped().orElse(-1));
      print(
          "  taken %d, malformed %d of %s, samples %d, malformed %d of %s, flows %d, estimates reported %d",
          taken(after) - taken(before),
          after.allMalformed() - before.allMalformed(),
          after.malformed(),
          after.flowSamples() - before.flowSamples(),
          after.allMalformedSamples() - before.allMalformedSamples(),
          after.malformedSamples(),
          after.flows(),
          reported.get());
      print(
          "  valid, with the warm-up: sent %d, missing by sequence %d; receive buffer %d bytes",
          validSent, after.lostDatagrams(), after.receiveBufferBytes());
      print(
          "  the collector's thread: %.1f %% of a processor, %.0f ns for a datagram",
          100 * cpu / elapsed, cpu * SECOND_NANOS / received);
      verdict("every datagram is accounted for", isAccounted);
      verdict("what is valid and arrived is taken", isTaken);
    } finally {
      for (Sender each : senders) {
        each.close();
      }
    }
  }

  private void flood(int seconds) throws Exception {
    try (SflowCollector collector = collector();
        Sender loud = new Sender(0, collector);
        Sender calm = new Sender(1, collector)) {
      long start = System.nanoTime();
      long end = start + seconds * SECOND_NANOS;
      long cpuBefore = cpuNanos();
      for (long now = start; now - end < 0; now = System.nanoTime()) {
        long due = (now - start) * CALM_PER_SECOND / SECOND_NANOS;
        while (calm.sent < due) {
          calm.send((int) (calm.sent % 997), true);
        }
        loud.send((int) (loud.sent % 997), false);
      }
      SflowCounts after = settled(collector, loud.sent + calm.sent);
      double cpu = (cpuNanos() - cpuBefore) / (double) SECOND_NANOS;
      print(
          "flood: one switch sends %d a second beside one with %d, of whose %d are missing %d;"
              + " over quota %d, taken %d, malformed %d, dropped by the kernel %d, thread %.1f %%"
              + " of a processor",
          loud.sent / seconds,
          calm.sent / seconds,
          calm.sent,
          after.lostDatagrams(),
          after.overQuota(),
          taken(after),
          after.allMalformed(),
          after.kernelDropped().orElse(-1),
          100 * cpu / seconds);
      verdict("every datagram is accounted for", accounted(after) == loud.sent + calm.sent);
    }
  }

  private static long sent(List<Sender> senders) {
    return senders.stream().mapToLong(each -> each.sent).sum();
  }

  private static long cpuNanos() {
    ThreadMXBean threads = ManagementFactory.getThreadMXBean();
    for (Thread each : Thread.getAllStackTraces().keySet()) {
      if (each.getName().equals("sluice-sflow")) {
        return threads.getThreadCpuTime(each.getId());
      }
    }
    throw new IllegalStateException("the collector has no thread");
  }

  private void verdict(String what, boolean holds) {
    print("  %s: %s", what, holds ? "yes" : "NO");
    kept &= holds;
  }

  private static void print(String format, Object... values) {
    System.out.println(String.format(Locale.ROOT, format, values));
  }
}

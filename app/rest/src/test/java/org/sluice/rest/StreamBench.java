// SPDX-License-Identifier: Apache-2.0
package org.sluice.rest;

import com.sun.management.ThreadMXBean;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import org.sluice.api.Endpoint;
import org.sluice.api.EndpointId;
import org.sluice.api.EndpointService;
import org.sluice.api.EndpointTraffic;
import org.sluice.api.HostId;
import org.sluice.api.IpAddress;
import org.sluice.api.MacAddress;
import org.sluice.api.PortId;
import org.sluice.api.PortLimit;
import org.sluice.api.SluiceException;
import org.sluice.api.TenantId;
import org.sluice.api.access.Caller;
import org.sluice.rest.stream.Sources;
import org.sluice.rest.stream.StreamFeed;
import org.sluice.rest.stream.StreamPace;
import org.sluice.rest.stream.StreamReader;

/**
 * Measures what the stream costs with 4000 endpoints, three tenths of which are others at every
 * evaluation: processor time and allocation of an update, of the thread that evaluates the services
 * and of those that write, for one reader and for as many as there may be. What making endpoints,
 * TCP and TLS cost is not in it.
 *
 * <p>{@code java -cp app/rest/target/classes:app/rest/target/test-classes:$(cat
 * app/rest/target/test.classpath) org.sluice.rest.StreamBench [--json FILE]}; exit 0 if 32 readers
 * take less than twice the processor time of one, else 1: rows are made and encoded for all at
 * once.
 */
public final class StreamBench {
  private static final double BOUND_OF_ONE = 2;
  private static final int UPDATES_PER_SECOND = 5;
  private static final int MOST_READERS = 32;
  private static final int HOSTS = 400;
  private static final int OF_HOST = 10;
  private static final int STATES = 8;
  private static final long PERIOD_MILLIS = 100;
  private static final int WARM_UP = 60;
  private static final int MEASURED = 120;
  private static final long LONG_MILLIS = 600_000;
  private static final String LOOKING = "sluice-stream";
  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

  private final Changing changing = new Changing();
  private final FakeServices services = new FakeServices();
  private final AtomicLong written = new AtomicLong();
  private final StreamFeed feed =
      new StreamFeed(
          new Sources() {
            @Override
            public <T> T get(Class<T> type) throws SluiceException {
              return type == EndpointService.class ? type.cast(changing) : services.get(type);
            }
          },
          new StreamPace(MOST_READERS, PERIOD_MILLIS, 1000, LONG_MILLIS, LONG_MILLIS, LONG_MILLIS));

  /** What an update took, of all threads together. */
  private static final class Cost {
    final double lookMillis;
    final double writeMillis;
    final double allocatedMegabytes;
    final double kilobytesToReader;

    Cost(double lookMillis, double writeMillis, double allocatedMegabytes, double kilobytes) {
      this.lookMillis = lookMillis;
      this.writeMillis = writeMillis;
      this.allocatedMegabytes = allocatedMegabytes;
      this.kilobytesToReader = kilobytes;
    }

    double percent() {
      return (lookMillis + writeMillis) * UPDATES_PER_SECOND / 10;
    }
  }

  /** Endpoints that are others at every evaluation, made beforehand. */
  private static final class Changing implements EndpointService {
    final AtomicLong looks = new AtomicLong();
    private final List<List<Endpoint>> states = new ArrayList<>();

    Changing() {
      for (int state = 0; state < STATES; state++) {
        List<Endpoint> all = new ArrayList<>();
        for (int i = 0; i < HOSTS * OF_HOST; i++) {
          all.add(endpoint(i, i % 10 < 3 ? state : 0));
        }
        states.add(List.copyOf(all));
      }
    }

    private static Endpoint endpoint(int number, int state) {
      PortId port = PortId.of("of:" + String.format("%016x", number % 100 + 1), number % 48 + 1);
      return Endpoint.of(
          EndpointId.of(HostId.of("host" + number / OF_HOST), "vm" + number % OF_HOST),
          MacAddress.parse(String.format("02:00:00:00:%02x:%02x", number / 256, number % 256)),
          Set.of(IpAddress.parse("10.0." + number / 250 + "." + (number % 250 + 1))),
          TenantId.DEFAULT,
          Optional.of(port),
          1_000_000_000,
          List.of(PortLimit.of(port, 12_500_000 + 1000L * state, 0.25)),
          EndpointTraffic.of(12_100_000 + 1000L * state, 3000L * state, number, true));
    }

    @Override
    public List<Endpoint> endpoints() {
      return states.get((int) (looks.incrementAndGet() % STATES));
    }

    @Override
    public Optional<Endpoint> endpoint(EndpointId id) {
      return Optional.empty();
    }

    @Override
    public Optional<Endpoint> endpoint(IpAddress ip) {
      return Optional.empty();
    }
  }

  /** Counts what is written, and keeps nothing. */
  private final class Counting extends OutputStream {
    @Override
    public void write(int one) {
      written.incrementAndGet();
    }

    @Override
    public void write(byte[] bytes, int from, int length) {
      written.addAndGet(length);
    }
  }

  private void awaitLooks(long count) throws InterruptedException {
    while (changing.looks.get() < count) {
      Thread.sleep(1);
    }
  }

  private Cost measure(int readers) throws SluiceException, InterruptedException {
    CountDownLatch started = new CountDownLatch(readers);
    List<Thread> writers = new ArrayList<>();
    for (int i = 0; i < readers; i++) {
      StreamReader reader =
          feed.open(Caller.of(Set.of("admin")::contains), "user", "").orElseThrow();
      Thread writer = new Thread(() -> run(reader, started));
      writer.setDaemon(true);
      writer.start();
      writers.add(writer);
    }
    started.await();
    long looking =
        Thread.getAllStackTraces().keySet().stream()
            .filter(thread -> thread.getName().equals(LOOKING))
            .findFirst()
            .orElseThrow()
            .getId();
    awaitLooks(changing.looks.get() + WARM_UP);
    long from = changing.looks.get();
    long lookNanos = THREADS.getThreadCpuTime(looking);
    long writeNanos = cpuNanos(writers);
    long allocated = allocated(looking, writers);
    long bytes = written.get();
    awaitLooks(from + MEASURED);
    double updates = changing.looks.get() - from;
    Cost cost =
        new Cost(
            (THREADS.getThreadCpuTime(looking) - lookNanos) / 1e6 / updates,
            (cpuNanos(writers) - writeNanos) / 1e6 / updates,
            (allocated(looking, writers) - allocated) / 1e6 / updates,
            (written.get() - bytes) / 1e3 / updates / readers);
    feed.close();
    return cost;
  }

  private void run(StreamReader reader, CountDownLatch started) {
    started.countDown();
    try {
      reader.run(new Counting());
    } catch (IOException e) {
      throw new IllegalStateException("a reader was cut off", e);
    }
  }

  private static long cpuNanos(List<Thread> threads) {
    return threads.stream().mapToLong(thread -> THREADS.getThreadCpuTime(thread.getId())).sum();
  }

  private static long allocated(long looking, List<Thread> threads) {
    return THREADS.getThreadAllocatedBytes(looking)
        + threads.stream()
            .mapToLong(thread -> THREADS.getThreadAllocatedBytes(thread.getId()))
            .sum();
  }

  private static void show(int readers, Cost cost) {
    System.out.printf(
        Locale.ROOT,
        "  %2d readers: looking %.2f ms, writing %.2f ms, %.2f MB allocated, %.0f kB to each;"
            + " five a second are %.1f %% of a processor%n",
        readers,
        cost.lookMillis,
        cost.writeMillis,
        cost.allocatedMegabytes,
        cost.kilobytesToReader,
        cost.percent());
  }

  private static String json(Cost cost) {
    return String.format(
        Locale.ROOT,
        "{\"lookMillis\": %.3f, \"writeMillis\": %.3f, \"allocatedMegabytes\": %.3f,"
            + " \"kilobytesToReader\": %.1f}",
        cost.lookMillis,
        cost.writeMillis,
        cost.allocatedMegabytes,
        cost.kilobytesToReader);
  }

  /** Runs it. */
  public static void main(String[] arguments)
      throws IOException, SluiceException, InterruptedException {
    Cost one = new StreamBench().measure(1);
    Cost most = new StreamBench().measure(MOST_READERS);
    System.out.printf(
        "The stream, 4000 endpoints, 1200 of them changed, an update in the mean of %d:%n",
        MEASURED);
    show(1, one);
    show(MOST_READERS, most);
    if (arguments.length == 2 && arguments[0].equals("--json")) {
      String both = "{\"1\": " + json(one) + ", \"32\": " + json(most) + "}\n";
      Files.write(Paths.get(arguments[1]), both.getBytes(StandardCharsets.UTF_8));
    }
    if (most.percent() > BOUND_OF_ONE * one.percent()) {
      System.exit(1);
    }
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.sluice.core;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.sluice.api.Expectation;
import org.sluice.api.HostId;
import org.sluice.api.IpAddress;
import org.sluice.api.IpPrefix;
import org.sluice.api.Member;
import org.sluice.api.Tenant;
import org.sluice.api.TenantId;
import org.sluice.api.counters.PortSample;
import org.sluice.api.link.HostObservation;
import org.sluice.api.link.PairSample;
import org.sluice.api.link.ReportedEndpoint;
import org.sluice.api.link.UplinkMessage;
import org.sluice.core.spi.ReplicatedMap;
import org.sluice.core.testing.FakeLink.Sent;
import org.sluice.core.testing.MemoryNetwork;
import org.sluice.core.testing.MemoryNode;
import org.sluice.core.testing.Samples;

/**
 * Measures what each of three whole nodes without a platform reads, sends, stores and computes, on
 * a fabric of pods (18 leaves and two aggregation switches each) and 20 core switches, two hosts at
 * every leaf. Time is virtual, processor time is real; encryption and the platform's own work are
 * not in it.
 *
 * <p>{@code java -cp ... org.sluice.core.ClusterBench [PODS [ENDPOINTS_PER_HOST]]}.
 */
public final class ClusterBench {
  private static final int LEAVES = 18;
  private static final int AGGREGATIONS = 2;
  private static final int CORES = 20;
  private static final int HOSTS_PER_LEAF = 2;
  private static final int PORTS_READ_PER_SECOND = 43;
  private static final int PEERS = 4;

  /** An agent's periods, without anything under control and with. */
  private static final int QUIET_MILLIS = 20;

  private static final int CONTROLLED_MILLIS = 5;
  private static final int TENANTS = 1000;

  /** Of the pairs, how many pass something in a millisecond. */
  private static final double ACTIVE_PER_MILLI = 0.005;

  /** Of the receivers' hosts, how many have a full port before them. */
  private static final double CONGESTED = 0.05;

  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

  private final MemoryNetwork network = new MemoryNetwork();
  private final Random random = new Random(1);
  private final int pods;
  private final int endpointsPerHost;
  private final List<Measured> nodes = new ArrayList<>();
  private final IpAddress[][] addresses;

  /** By host: the pairs whose source is there, and those whose destination is. */
  private final List<List<IpAddress[]>> sent = new ArrayList<>();

  private final List<List<IpAddress[]>> received = new ArrayList<>();
  private final boolean[] isCongested;
  private final boolean[] sendsToCongested;

  /** A node, and what it did since the last line was printed. */
  private static final class Measured {
    final MemoryNode node;
    final Map<String, Long> stored = new TreeMap<>();
    final Map<String, Long> downlink = new TreeMap<>();
    long cpuNanos;
    long uplink;
    long samples;

    Measured(MemoryNetwork network, String name) {
      node = new MemoryNode(network, name);
      node.runner = this::run;
      node.storageView =
          storage ->
              map -> {
                ReplicatedMap real = storage.map(map);
                return (ReplicatedMap)
                    Proxy.newProxyInstance(
                        ReplicatedMap.class.getClassLoader(),
                        new Class<?>[] {ReplicatedMap.class},
                        (proxy, method, arguments) -> {
                          stored.merge(map + " " + method.getName(), 1L, Long::sum);
                          try {
                            return method.invoke(real, arguments);
                          } catch (InvocationTargetException e) {
                            throw e.getCause();
                          }
                        });
              };
      node.link.whenSent = this::sent;
    }

    private void sent(Sent message) {
      downlink.merge(message.message.kind().name(), 1L, Long::sum);
      node.link.sent.clear();
    }

    void run(Runnable action) {
      long before = THREADS.getCurrentThreadCpuTime();
      action.run();
      cpuNanos += THREADS.getCurrentThreadCpuTime() - before;
    }

    void report(UplinkMessage message, int pairs) {
      uplink++;
      samples += pairs;
      run(() -> node.link.report(message));
    }

    void forget() {
      stored.clear();
      downlink.clear();
      cpuNanos = 0;
      uplink = 0;
      samples = 0;
    }
  }

  private ClusterBench(int pods, int endpointsPerHost) {
    this.pods = pods;
    this.endpointsPerHost = endpointsPerHost;
    int hosts = pods * LEAVES * HOSTS_PER_LEAF;
    addresses = new IpAddress[hosts][endpointsPerHost];
    isCongested = new boolean[hosts];
    sendsToCongested = new boolean[hosts];
  }

  private int switches() {
    return pods * (LEAVES + AGGREGATIONS) + CORES;
  }

  private static String leaf(int pod, int number) {
    return "s" + (1 + pod * (LEAVES + AGGREGATIONS) + number);
  }

  private String leafOf(int host) {
    int leaf = host / HOSTS_PER_LEAF;
    return leaf(leaf / LEAVES, leaf % LEAVES);
  }

  private void build() {
    long[] ports = LongStream.rangeClosed(1, 48).toArray();
    for (int number = 1; number <= switches(); number++) {
      network.connect("s" + number, ports);
    }
    for (int pod = 0; pod < pods; pod++) {
      for (int aggregation = 0; aggregation < AGGREGATIONS; aggregation++) {
        String above = leaf(pod, LEAVES + aggregation);
        for (int leaf = 0; leaf < LEAVES; leaf++) {
          network.link(leaf(pod, leaf) + "/" + (47 + aggregation), above + "/" + (1 + leaf));
        }
        for (int i = 0; i < CORES / AGGREGATIONS; i++) {
          int core = 1 + pods * (LEAVES + AGGREGATIONS) + aggregation * CORES / AGGREGATIONS + i;
          network.link(above + "/" + (LEAVES + 1 + i), "s" + core + "/" + (1 + pod % 48));
        }
      }
    }
    for (int host = 0; host < addresses.length; host++) {
      for (int i = 0; i < endpointsPerHost; i++) {
        addresses[host][i] = IpAddress.parse(ip(host, i));
        String port = leafOf(host) + "/" + (1 + host % HOSTS_PER_LEAF);
        network.seen(mac(host, i), port, ip(host, i));
        network.learn(addresses[host][i], Samples.port(port));
      }
      sent.add(new ArrayList<>());
      received.add(new ArrayList<>());
      isCongested[host] = random.nextDouble() < CONGESTED;
    }
    for (int host = 0; host < addresses.length; host++) {
      for (IpAddress source : addresses[host]) {
        for (int i = 0; i < PEERS; i++) {
          pair(host, source, i % 2 == 0 ? inPodOf(host) : random.nextInt(addresses.length));
        }
      }
    }
  }

  private int inPodOf(int host) {
    int perPod = LEAVES * HOSTS_PER_LEAF;
    return host / perPod * perPod + random.nextInt(perPod);
  }

  private void pair(int host, IpAddress source, int other) {
    IpAddress[] pair = {source, addresses[other][random.nextInt(endpointsPerHost)]};
    sent.get(host).add(pair);
    received.get(other).add(pair);
    sendsToCongested[host] |= isCongested[other];
  }

  private static String mac(int host, int i) {
    return String.format("02:00:00:%02x:%02x:%02x", host >> 8, host & 0xff, i);
  }

  private static String ip(int host, int i) {
    return "10." + (host >> 8) + "." + (host & 0xff) + "." + i;
  }

  private void start() throws Exception {
    for (String name : List.of("n1", "n2", "n3")) {
      Measured measured = new Measured(network, name);
      nodes.add(measured);
      for (int number = 1; number <= switches(); number++) {
        if (number % 3 == nodes.size() - 1) {
          network.setMaster("s" + number, name);
        }
      }
      measured.node.start();
      network.time.advanceMillis(1000);
    }
    List<Tenant> tenants = new ArrayList<>();
    for (int i = 0; i < TENANTS; i++) {
      List<Member> members = new ArrayList<>();
      for (int host = i; host < addresses.length; host += TENANTS) {
        members.add(Member.ofPrefix(IpPrefix.parse(ip(host, 0) + "/24")));
      }
      tenants.add(Tenant.builder(TenantId.of("t" + i)).members(members).build());
    }
    nodes.get(0).node.controller().tenants().replaceAll(tenants, Expectation.none(), false);
    for (int host = 0; host < addresses.length; host++) {
      ReportedEndpoint[] list = new ReportedEndpoint[endpointsPerHost];
      for (int i = 0; i < endpointsPerHost; i++) {
        list[i] = Samples.endpoint("h" + host + "/vm" + i, mac(host, i), ip(host, i));
      }
      for (Measured measured : nodes) {
        int number = host;
        measured.run(() -> measured.node.link.connect(Samples.hello("h" + number, list)));
      }
      network.time.advanceMillis(5);
    }
  }

  /** Lets hosts and switches report for so long; some hosts before full ports. */
  private void pass(int millis, boolean congested) {
    for (int at = 0; at < millis; at++) {
      for (int host = 0; host < addresses.length; host++) {
        boolean controlled = congested && (isCongested[host] || sendsToCongested[host]);
        int period = controlled ? CONTROLLED_MILLIS : QUIET_MILLIS;
        if ((at + host) % period == 0) {
          report(host, period, congested);
        }
      }
      for (int number = 1; number <= switches(); number++) {
        if ((at + number) % (1000 / PORTS_READ_PER_SECOND) == 0) {
          read("s" + number, 1 + at % 48);
        }
      }
      network.time.advanceMillis(1);
    }
  }

  private void report(int host, int periodMillis, boolean congested) {
    List<PairSample> pairs = new ArrayList<>();
    int marks = congested && isCongested[host] ? 1 : 0;
    for (IpAddress[] pair : sent.get(host)) {
      if (random.nextDouble() < ACTIVE_PER_MILLI * periodMillis) {
        pairs.add(PairSample.of(pair[0], pair[1], 4, 4000, 0, 0, 0));
      }
    }
    for (IpAddress[] pair : received.get(host)) {
      if (random.nextDouble() < ACTIVE_PER_MILLI * periodMillis) {
        pairs.add(PairSample.of(pair[0], pair[1], 0, 0, 4, 4000, marks));
      }
    }
    UplinkMessage message =
        UplinkMessage.ofObservation(
            HostObservation.of(
                HostId.of("h" + host),
                network.time.nanoTime(),
                periodMillis * 1_000_000L,
                pairs,
                List.of()));
    nodes.forEach(node -> node.report(message, pairs.size()));
  }

  private void read(String name, int port) {
    String master = network.cluster.holderOf(Samples.datapath(name)).orElseThrow();
    for (Measured measured : nodes) {
      if (measured.node.name.equals(master)) {
        PortSample sample =
            PortSample.builder(Samples.port(name + "/" + port))
                .txPackets(1000)
                .txBytes(1_000_000)
                .intervalNanos(1_000_000_000)
                .build();
        measured.run(() -> measured.node.counters.poll(sample));
      }
    }
  }

  private void print(String what, double seconds) {
    System.out.printf("%n%s%n", what);
    for (Measured each : nodes) {
      System.out.printf(
          "%s: %.0f ms of a processor; %.0f messages of agents with %.0f pairs; to agents: %s%n"
              + "    store: %s%n",
          each.node.name,
          each.cpuNanos / 1e6 / seconds,
          each.uplink / seconds,
          each.samples / seconds,
          perSecond(each.downlink, seconds),
          perSecond(each.stored, seconds));
      each.forget();
    }
  }

  private static String perSecond(Map<String, Long> counts, double seconds) {
    return counts.entrySet().stream()
        .map(each -> String.format("%s %.1f", each.getKey(), each.getValue() / seconds))
        .collect(Collectors.joining(", "));
  }

  private static long usedMegabytes() {
    System.gc();
    Runtime runtime = Runtime.getRuntime();
    return (runtime.totalMemory() - runtime.freeMemory()) >> 20;
  }

  /** Prints it. */
  public static void main(String[] arguments) throws Exception {
    int pods = arguments.length > 0 ? Integer.parseInt(arguments[0]) : 49;
    int endpoints = arguments.length > 1 ? Integer.parseInt(arguments[1]) : 23;
    ClusterBench bench = new ClusterBench(pods, endpoints);
    bench.build();
    System.out.printf(
        "%d switches, %d hosts, %d endpoints, %d pairs, %d tenants, three nodes%n",
        bench.switches(),
        bench.addresses.length,
        bench.addresses.length * endpoints,
        bench.sent.stream().mapToInt(List::size).sum(),
        TENANTS);
    long before = usedMegabytes();
    bench.start();
    bench.network.time.advanceMillis(20_000);
    bench.print("Start, as a whole:", 1);
    bench.pass(3000, false);
    bench.nodes.forEach(Measured::forget);
    bench.pass(10_000, false);
    bench.print("Nothing under control, per second:", 10);
    bench.pass(1000, true);
    bench.nodes.forEach(Measured::forget);
    bench.pass(2000, true);
    bench.print("Marks at 5 % of the hosts, all senders under control, per second:", 2);
    System.out.printf("%n%d MB per node in use%n", (usedMegabytes() - before) / bench.nodes.size());
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.sluice.core;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.sluice.api.Expectation;
import org.sluice.api.HostId;
import org.sluice.api.IpPrefix;
import org.sluice.api.Member;
import org.sluice.api.Tenant;
import org.sluice.api.TenantId;
import org.sluice.api.link.HostEvent;
import org.sluice.api.link.HostHello;
import org.sluice.api.link.ReportedEndpoint;
import org.sluice.api.link.UplinkMessage;
import org.sluice.core.testing.MemoryNetwork;
import org.sluice.core.testing.MemoryNode;
import org.sluice.core.testing.Samples;

/**
 * Measures what a whole controller without a platform does about one host's lists of endpoints,
 * with 20,000 endpoints of 1000 tenants on 200 hosts; and about the replacement of 4500 tenants.
 * Claims and certificates are decided once per list here; on a machine they take a tenth of a
 * processor.
 *
 * <p>{@code java -cp ... org.sluice.core.EndpointsBench}; exit 0 if a list costs less than {@value
 * #BOUND_MILLIS} ms in the median, else 1.
 */
public final class EndpointsBench {
  private static final double BOUND_MILLIS = 100;
  private static final int HOSTS = 200;
  private static final int ENDPOINTS = 100;

  /** A certificate takes a millisecond; so these hosts have them, and hosts that swap. */
  private static final int KEYS_EVERY = 7;

  private static final int TENANTS = 1000;
  private static final int MOST_TENANTS = 4500;
  private static final int MILLIS_BETWEEN = 50;
  private static final int LISTS = 40;
  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

  private final MemoryNetwork network = new MemoryNetwork();
  private final MemoryNode node;

  private EndpointsBench() throws Exception {
    for (int host = 0; host < HOSTS; host++) {
      network.connect("s" + (host + 1), 1, 2);
    }
    node = new MemoryNode(network, "n1").start();
    node.controller().tenants().replaceAll(tenants(TENANTS), Expectation.none(), false);
    for (int host = 0; host < HOSTS; host++) {
      for (int i = 0; i < ENDPOINTS; i++) {
        network.seen(mac(host, i), "s" + (host + 1) + "/1", ip(host, i));
      }
    }
    for (int host = 0; host < HOSTS; host++) {
      HostHello hello = Samples.hello("h" + host, list(host, 0));
      node.link.connect(
          host % KEYS_EVERY == 0 ? hello.withPeerPublicKey(Samples.peerKey(host + 1)) : hello);
    }
    advance(20_000);
  }

  private static String mac(int host, int i) {
    return String.format("02:00:00:%02x:%02x:%02x", host >> 8, host & 0xff, i);
  }

  private static String ip(int host, int i) {
    return "10." + (host >> 8) + "." + (host & 0xff) + "." + i;
  }

  /** A host's endpoints; two of them have had each other's address for some lists. */
  private static ReportedEndpoint[] list(int host, int swap) {
    ReportedEndpoint[] list = new ReportedEndpoint[ENDPOINTS];
    for (int i = 0; i < ENDPOINTS; i++) {
      int own = i < 2 ? i ^ swap : i;
      list[i] = Samples.endpoint("h" + host + "/vm" + i, mac(host, i), ip(host, own));
    }
    return list;
  }

  private static List<Tenant> tenants(int count) throws Exception {
    List<Tenant> tenants = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      IpPrefix prefix =
          IpPrefix.parse(
              "10." + (i * 32 >> 16) + "." + (i * 32 >> 8 & 0xff) + "." + (i * 32 & 0xff) + "/27");
      tenants.add(
          Tenant.builder(TenantId.of("t" + i))
              .members(List.of(Member.ofPrefix(prefix)))
              .guaranteeBitsPerSecond(1000)
              .build());
    }
    return tenants;
  }

  private void advance(int millis) {
    network.time.advanceMillis(millis);
    node.link.sent.clear();
  }

  private double medianMillis(int swapEvery) {
    double[] millis = new double[LISTS];
    for (int i = 0; i < LISTS; i++) {
      long before = THREADS.getCurrentThreadCpuTime();
      int swap = swapEvery == 0 ? 0 : i % 2;
      node.link.report(
          UplinkMessage.ofEvent(
              HostEvent.of(
                  HostId.of("h7"), HostEvent.Kind.ENDPOINTS_CHANGED, "", List.of(list(7, swap)))));
      advance(MILLIS_BETWEEN);
      millis[i] = (THREADS.getCurrentThreadCpuTime() - before) / 1e6;
    }
    Arrays.sort(millis);
    return millis[LISTS / 2];
  }

  private double idleMillis() {
    long before = THREADS.getCurrentThreadCpuTime();
    advance(LISTS * MILLIS_BETWEEN);
    return (THREADS.getCurrentThreadCpuTime() - before) / 1e6 / LISTS;
  }

  private double replacementMillis() throws Exception {
    List<Tenant> tenants = tenants(MOST_TENANTS);
    long before = THREADS.getCurrentThreadCpuTime();
    node.controller().tenants().replaceAll(tenants, Expectation.none(), false);
    return (THREADS.getCurrentThreadCpuTime() - before) / 1e6;
  }

  /** Prints it. */
  public static void main(String[] arguments) throws Exception {
    EndpointsBench bench = new EndpointsBench();
    bench.medianMillis(1);
    double idle = bench.idleMillis();
    double same = bench.medianMillis(0);
    double swapped = bench.medianMillis(1);
    System.out.printf(
        "%d endpoints, per %d ms: %.1f ms without a list, %.1f with the same list again, %.1f with"
            + " two addresses swapped%n",
        HOSTS * ENDPOINTS, MILLIS_BETWEEN, idle, same, swapped);
    System.out.printf("%d tenants replaced: %.0f ms%n", MOST_TENANTS, bench.replacementMillis());
    System.exit(swapped < BOUND_MILLIS ? 0 : 1);
  }
}

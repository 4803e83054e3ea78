// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.agent;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.sluice.api.IpPrefix;
import org.sluice.api.link.DownlinkMessage;
import org.sluice.api.link.TcpHintReport;
import org.sluice.api.link.TcpHints;
import org.sluice.api.link.UplinkMessage;
import org.sluice.api.policy.AppliedHint;
import org.sluice.api.policy.PrefixHint;
import org.sluice.api.policy.TcpHint;
import org.sluice.sim.network.Endpoint;
import org.sluice.sim.network.Host;
import org.sluice.sim.platform.AgentConnection;
import org.sluice.sim.shim.host.Addresses;
import org.sluice.sim.transport.CongestionControls;
import org.sluice.sim.transport.RouteMetrics;
import org.sluice.sim.transport.RouteTable;

/**
 * Puts the controller's hints into a host's routes, as its kernel takes them, and reports that. Of
 * the hints that cover a destination the longest prefix's holds, field by field.
 */
public final class HintFunction implements AgentFunction {
  private static final Map<String, CongestionControls> CONGESTION_CONTROLS =
      Map.of(
          "reno", CongestionControls.NEW_RENO,
          "cubic", CongestionControls.CUBIC,
          "dctcp", CongestionControls.DCTCP,
          "bbr", CongestionControls.BBR_V1);

  /** A prefix, and what is hinted towards it. */
  private record Hinted(IpPrefix prefix, TcpHint hint) {}

  private final Host host;
  private final AgentConnection connection;
  private final Addresses addresses;
  private final RouteTable routes;
  private final long tickNanos;
  private final HintListener listener;
  private List<PrefixHint> inForce = List.of();

  /**
   * One that has no hints yet.
   *
   * @param tickNanos what the kernel rounds RTO_min up to, its timer tick; 0: not at all
   */
  public HintFunction(
      Host host,
      AgentConnection connection,
      Addresses addresses,
      RouteTable routes,
      long tickNanos,
      HintListener listener) {
    this.host = host;
    this.connection = connection;
    this.addresses = addresses;
    this.routes = routes;
    this.tickNanos = tickNanos;
    this.listener = listener;
  }

  @Override
  public void received(DownlinkMessage message) {
    if (message.kind() == DownlinkMessage.Kind.TCP_HINTS) {
      TcpHints hints = message.tcpHints();
      listener.received(hints);
      TcpHintReport report = apply(hints);
      connection.send(now -> UplinkMessage.ofTcpHintReport(report));
    }
  }

  /** Hints end with the session; those of an agent that was killed stay in the host's routes. */
  @Override
  public void sessionEnded() {
    putInForce(List.of());
  }

  /** It restores what it finds of before. */
  @Override
  public void started() {
    putInForce(List.of());
  }

  @Override
  public void stopped() {
    putInForce(List.of());
  }

  private TcpHintReport apply(TcpHints hints) {
    List<PrefixHint> now = new ArrayList<>();
    List<String> refused = new ArrayList<>();
    for (PrefixHint each : hints.hints()) {
      String control = each.hint().congestionControl();
      if (!control.isEmpty() && !CONGESTION_CONTROLS.containsKey(control)) {
        refused.add("congestion control " + control + " is not loaded");
      }
      now.add(PrefixHint.of(each.destinations(), asKernelHasIt(each.hint())));
    }
    putInForce(now);
    List<AppliedHint> applied =
        now.stream()
            .map(each -> AppliedHint.of(each.hint(), Math.max(1, each.destinations().size()), 0))
            .toList();
    return TcpHintReport.of(HostAgent.id(host), hints.revision(), applied, refused);
  }

  /** A kernel counts in ticks: 2 ms at 250 Hz are 4. */
  private TcpHint asKernelHasIt(TcpHint hint) {
    long rtoMin = hint.rtoMinNanos();
    String control = hint.congestionControl();
    return TcpHint.builder()
        .initialWindowSegments(hint.initialWindowSegments())
        .rtoMinNanos(tickNanos == 0 ? rtoMin : (rtoMin + tickNanos - 1) / tickNanos * tickNanos)
        .congestionControl(CONGESTION_CONTROLS.containsKey(control) ? control : "")
        .pacingBitsPerSecond(hint.pacingBitsPerSecond())
        .build();
  }

  private void putInForce(List<PrefixHint> now) {
    List<Hinted> hinted = new ArrayList<>();
    TcpHint toAll = TcpHint.NONE;
    for (PrefixHint each : now) {
      each.destinations().forEach(prefix -> hinted.add(new Hinted(prefix, each.hint())));
      toAll = each.destinations().isEmpty() ? each.hint() : toAll;
    }
    hinted.sort(Comparator.comparingInt((Hinted each) -> each.prefix().length()).reversed());
    Map<Host, TcpHint> toOne = new HashMap<>();
    for (Hinted each : hinted) {
      for (Endpoint endpoint : addresses.within(each.prefix())) {
        toOne.merge(endpoint.host(), each.hint(), TcpHint::orElse);
      }
    }
    TcpHint shorter = toAll;
    Map<Host, RouteMetrics> metrics = new HashMap<>();
    toOne.forEach((to, hint) -> metrics.put(to, metrics(hint.orElse(shorter))));
    routes.replace(host, metrics(toAll), metrics);
    listener.changed(inForce, now);
    inForce = now;
  }

  private static RouteMetrics metrics(TcpHint hint) {
    return new RouteMetrics(
        hint.initialWindowSegments(),
        hint.rtoMinNanos(),
        CONGESTION_CONTROLS.get(hint.congestionControl()),
        hint.pacingBitsPerSecond());
  }
}

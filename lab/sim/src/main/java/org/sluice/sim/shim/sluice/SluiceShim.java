// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.shim.sluice;

import java.util.ArrayList;
import java.util.List;
import org.sluice.api.PortId;
import org.sluice.sim.network.Host;
import org.sluice.sim.network.Network;
import org.sluice.sim.packet.Packet;
import org.sluice.sim.shim.feedback.ReceivedFeedback;
import org.sluice.sim.shim.feedback.RelayedShare;
import org.sluice.sim.shim.feedback.ShareRelay;
import org.sluice.sim.shim.host.Addresses;
import org.sluice.sim.shim.host.LocalEndpoint;
import org.sluice.sim.shim.host.PairState;
import org.sluice.sim.shim.host.ShimBase;
import org.sluice.sim.shim.law.Bounds;
import org.sluice.sim.shim.law.PortNotice;
import org.sluice.sim.shim.law.PortShare;
import org.sluice.sim.shim.port.EndpointControl;
import org.sluice.sim.shim.queue.WindowClamp;
import org.sluice.sim.shim.receive.ReceiverWindows;
import org.sluice.sim.shim.report.ReceiverReports;
import org.sluice.sim.shim.report.ReportBuffer;
import org.sluice.sim.shim.report.ReportSink;

/**
 * A host's shim and agent under a controller. Every tau it counts for the laws what was sent, sends
 * the senders' shims what arrived, puts into force what the laws decide, and reports to the
 * controller.
 *
 * <p>With the controller gone nothing changes: the laws go on with the last unit shares. An agent
 * that is killed leaves its limits in force for one lease; then the host is open. One that is
 * stopped opens it at once.
 */
public final class SluiceShim extends ShimBase {
  /** How often a receive ceiling that is exceeded is reported at most, ns: T_i, as it is mostly. */
  private static final long CONTROL_PERIOD_NANOS = 5_000_000L;

  private final ShimParameters parameters;
  private final ReportSink reports;
  private final ReportBuffer pendingReports;
  private final ReceiverReports receivers;
  private final FeedbackSender feedback;
  private final List<ReceiverWindows> windows = new ArrayList<>();
  private final List<EndpointLimiter> limiters = new ArrayList<>();
  private long lastTurnNanos;
  private boolean alive = true;
  private long openFromNanos = Long.MAX_VALUE;

  public SluiceShim(
      Network network,
      Host host,
      ShimParameters parameters,
      Addresses addresses,
      ReportSink reports) {
    super(
        network, host, parameters.classesOf(host.nic().rateBitsPerSecond()), parameters.tauNanos());
    this.parameters = parameters;
    this.reports = reports;
    this.pendingReports = new ReportBuffer(addresses);
    this.receivers = new ReceiverReports(CONTROL_PERIOD_NANOS, endpoints);
    this.feedback = new FeedbackSender(messages, new ShareRelay(), parameters.endOfMarksNanos());
    for (LocalEndpoint endpoint : endpoints) {
      if (parameters.receiverWindows()) {
        windows.add(
            new ReceiverWindows(host.nic().rateBitsPerSecond(), classParameters.mtuBytes()));
      }
      limiters.add(
          new EndpointLimiter(
              endpoint,
              classParameters,
              queue,
              newClamp(),
              parameters.newLaw(),
              parameters.staleNanos()));
    }
  }

  private WindowClamp newClamp() {
    return new WindowClamp(classParameters.mtuBytes());
  }

  private EndpointLimiter limiterOf(int endpoint) {
    LocalEndpoint found = localEndpoint(endpoint);
    return found == null ? null : limiters.get(found.index);
  }

  // ---------------------------------------------------------------- the controller's session

  /** The session with the controller begins, with increments counted from here. */
  public void sessionBegan() {
    pendingReports.begin(endpoints);
    limiters.forEach(limiter -> limiter.setSession(true));
  }

  /** There is no controller any more. */
  public void sessionEnded() {
    pendingReports.end();
    limiters.forEach(limiter -> limiter.setSession(false));
    setWatching(false);
  }

  /** Whether controllers grant windows, beside which there are none of the receiver's host. */
  public void setWatching(boolean value) {
    windows.forEach(each -> each.setSuspended(value));
  }

  /**
   * What the controller decided about one of this host's endpoints.
   *
   * @param receiveCeilingBitsPerSecond 0 is none
   */
  public void setPolicy(int endpoint, Bounds bounds, long receiveCeilingBitsPerSecond) {
    EndpointLimiter limiter = limiterOf(endpoint);
    if (alive && limiter != null) {
      localEndpoint(endpoint).setReceiveCeiling(receiveCeilingBitsPerSecond);
      limiter.setBounds(bounds, network.scheduler().now());
      host.nic().wake();
    }
  }

  /**
   * A port's share for one of this host's endpoints.
   *
   * @param behind the full set of its destinations behind the port
   * @param floorBitsPerSecond or {@link EndpointControl#NO_FLOOR}
   * @param weight the endpoint's at the port; 0 is its policy's
   * @param pairPart what part of its share there each destination that wants more is due
   */
  public void setShare(
      int endpoint,
      PortId port,
      PortShare share,
      int[] behind,
      long floorBitsPerSecond,
      double weight,
      double pairPart) {
    EndpointLimiter limiter = limiterOf(endpoint);
    if (alive && limiter != null) {
      limiter.setShare(port, share, behind, floorBitsPerSecond, weight, pairPart);
      startTurning(network.scheduler().now());
    }
  }

  /**
   * A port's share, to be relayed to sources that cause marks.
   *
   * @param reached this host's endpoints that are reached through the port, in order
   */
  public void setShareToRelay(PortId port, PortShare share, int[] reached) {
    if (alive) {
      feedback.setShare(port, share, reached);
    }
  }

  /** Ends a port's control of all endpoints but these, by number. */
  public void releaseOthers(PortId port, int[] named) {
    if (!alive) {
      return;
    }
    for (EndpointLimiter limiter : limiters) {
      boolean isNamed = false;
      for (int number : named) {
        isNamed |= limiter.endpointNumber() == number;
      }
      if (!isNamed) {
        limiter.release(port);
      }
    }
  }

  /** A notice for one of this host's endpoints. */
  public void takeNotice(int endpoint, PortId port, PortNotice notice, int[] behind) {
    EndpointLimiter limiter = limiterOf(endpoint);
    if (alive && limiter != null) {
      limiter.takeNotice(network.scheduler().now(), port, notice, behind);
      startTurning(network.scheduler().now());
    }
  }

  // ---------------------------------------------------------------- the agent's life

  /** The agent dies: what is in the data path stays for one lease. */
  public void kill() {
    alive = false;
    openFromNanos = network.scheduler().now() + parameters.leaseNanos();
    stopTurning();
    pendingReports.end();
  }

  /** A dead agent starts again: it goes on with the limits that there are. */
  public void start() {
    alive = true;
    openFromNanos = Long.MAX_VALUE;
  }

  /** The agent stops and removes its limits and rules. */
  public void stop() {
    kill();
    openFromNanos = network.scheduler().now();
  }

  @Override
  protected boolean isEnforcing(long nowNanos) {
    return nowNanos < openFromNanos;
  }

  @Override
  protected boolean isAlive() {
    return alive;
  }

  // ---------------------------------------------------------------- packets and messages

  @Override
  protected boolean preservesEcn(LocalEndpoint endpoint) {
    return parameters.preserveEcn();
  }

  @Override
  protected void pairBegan(PairState pair) {
    limiters.get(pair.local.index).place(pair);
  }

  @Override
  protected void leaves(PairState pair, Packet packet, long nowNanos) {
    if (!windows.isEmpty()) {
      windows.get(pair.local.index).leaves(packet, nowNanos);
    }
  }

  @Override
  protected void arrives(PairState pair, Packet packet, long nowNanos) {
    if (isEnforcing(nowNanos)) {
      limiters.get(pair.local.index).arrives(pair, packet);
      if (!windows.isEmpty()) {
        windows.get(pair.local.index).arrives(packet, nowNanos);
      }
    }
  }

  @Override
  protected void takeMessage(PairState pair, Packet message, long nowNanos) {
    EndpointLimiter limiter = limiters.get(pair.local.index);
    pair.measureRoundTrip(message, nowNanos);
    if (message.attachment instanceof RelayedShare relayed) {
      limiter.takeRelayedShare(relayed, pair.remote);
      startTurning(nowNanos);
      return;
    }
    ReceivedFeedback received = pair.receivedFeedback;
    if (received.take(message)) {
      limiter.feedback(pair, received.newPackets(), received.newMarks());
    }
  }

  // ---------------------------------------------------------------- every tau

  @Override
  protected void turn(long nowNanos) {
    for (int i = 0; i < touchedCount(); i++) {
      PairState pair = touched(i);
      if (pair.sentBytes != pair.countedSentBytes) {
        limiters.get(pair.local.index).sent(nowNanos, pair);
        pair.countedSentBytes = pair.sentBytes;
      }
      if (!parameters.noticesAlone()) {
        feedback.turn(pair, nowNanos);
      }
    }
    pendingReports.turn(nowNanos - lastTurnNanos);
    lastTurnNanos = nowNanos;
    boolean changed = false;
    for (int i = 0; i < limiters.size(); i++) {
      changed |= limiters.get(i).runLaws(nowNanos);
      limiters.get(i).reportWaiting(nowNanos, pendingReports);
    }
    if (changed) {
      host.nic().wake();
    }
    for (int i = 0; i < touchedCount(); i++) {
      pendingReports.add(touched(i), nowNanos);
    }
    pendingReports.flush(
        nowNanos, tauNanos(), Math.max(tauNanos(), parameters.markReportNanos()), reports);
    receivers.turn(nowNanos, reports);
  }

  @Override
  protected boolean mustTurn() {
    if (!pendingReports.isEmpty()) {
      return true;
    }
    for (int i = 0; i < limiters.size(); i++) {
      if (limiters.get(i).hasClasses()) {
        return true;
      }
    }
    return false;
  }

  /**
   * Whether a packet that is about to leave may do so by another level than the last: half of what
   * each limit lets pass may. It then counts.
   */
  public boolean takePriority(Packet packet, long nowNanos) {
    int bytes = packet.ipBytes + classParameters.overheadBytes();
    EndpointLimiter limiter = limiterOf(packet.source);
    return limiter != null && limiter.takePriority(packet.destination, bytes, nowNanos);
  }

  // ---------------------------------------------------------------- what is in force

  /** A limit in force for what an endpoint sends to a destination, bit/s. */
  public long limitBitsPerSecond(int endpoint, int destination) {
    return limiterOf(endpoint).limitBitsPerSecond(destination);
  }

  /** Ports that an endpoint could not be controlled for: there were eight already. */
  public long refusedPorts() {
    long sum = 0;
    for (EndpointLimiter limiter : limiters) {
      sum += limiter.refusedPorts();
    }
    return sum;
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.shim.sluice;

import java.util.ArrayList;
import java.util.List;
import org.sluice.api.PortId;
import org.sluice.sim.network.Host;
import org.sluice.sim.network.Network;
import org.sluice.sim.packet.Packet;
import org.sluice.sim.shim.feedback.PassedShare;
import org.sluice.sim.shim.feedback.SharesToPassOn;
import org.sluice.sim.shim.host.Addresses;
import org.sluice.sim.shim.host.LocalEndpoint;
import org.sluice.sim.shim.host.PairState;
import org.sluice.sim.shim.host.ShimBase;
import org.sluice.sim.shim.law.Bounds;
import org.sluice.sim.shim.law.PortNotice;
import org.sluice.sim.shim.law.PortShare;
import org.sluice.sim.shim.port.EndpointControl;
import org.sluice.sim.shim.queue.WindowClamp;
import org.sluice.sim.shim.report.Observer;
import org.sluice.sim.shim.report.Outbox;

/**
 * A host's shim and agent under a controller. Every tau it tells the laws what was sent, the
 * senders' shims what arrived, puts into force what the laws say, and tells the controller.
 *
 * <p>With the controller gone nothing changes: the laws go on with the last unit shares. An agent
 * that is killed leaves its limits in force for one lease; then the host is open. One that is
 * stopped opens it at once.
 */
public final class SluiceShim extends ShimBase {
  /** 20 + 64 bytes: the agent's feedback message with its authentication, and an IPv4 header. */
  static final int FEEDBACK_IP_BYTES = 84;

  /** Bytes that are worth a message, and how long fewer may wait, ns. */
  private static final long FEEDBACK_BYTES = 1500;

  private static final long FEEDBACK_NANOS = 20_000_000L;

  /** A pair that is marked hears of the share so often, ns. */
  private static final long PASS_SHARE_NANOS = 20_000_000L;

  private final ShimParameters parameters;
  private final Observer observer;
  private final Outbox outbox;
  private final List<EndpointAgent> agents = new ArrayList<>();
  private final SharesToPassOn sharesToPassOn;
  private long lastTurnNanos;
  private boolean alive = true;
  private long openFromNanos = Long.MAX_VALUE;

  /**
   * @param observer takes the reports
   */
  public SluiceShim(
      Network network,
      Host host,
      ShimParameters parameters,
      Addresses addresses,
      Observer observer) {
    super(
        network, host, parameters.classesOf(host.nic().rateBitsPerSecond()), parameters.tauNanos());
    this.parameters = parameters;
    this.observer = observer;
    this.outbox = new Outbox(addresses);
    this.sharesToPassOn = new SharesToPassOn(parameters.staleNanos());
    for (LocalEndpoint endpoint : endpoints) {
      agents.add(
          new EndpointAgent(endpoint, classParameters, queue, newClamp(), parameters.newLaw()));
    }
  }

  /** Tau is at least five round trips. */
  private WindowClamp newClamp() {
    return new WindowClamp(classParameters.mtuBytes(), tauNanos() / 5);
  }

  /** The session with the controller begins, with increments counted from here. */
  public void sessionBegan() {
    outbox.begin(endpoints);
  }

  /** There is no controller any more. */
  public void sessionEnded() {
    outbox.end();
  }

  /** What the controller decided about one of this host's endpoints. */
  public void setPolicy(int endpoint, Bounds bounds) {
    EndpointAgent agent = agentOf(endpoint);
    if (alive && agent != null) {
      agent.setBounds(bounds, network.scheduler().now());
      host.nic().wake();
    }
  }

  /**
   * A port's share for one of this host's endpoints.
   *
   * @param behind the full set of its destinations behind the port
   * @param floorBitsPerSecond or {@link EndpointControl#NO_FLOOR}
   */
  public void setShare(
      int endpoint, PortId port, PortShare share, int[] behind, long floorBitsPerSecond) {
    EndpointAgent agent = agentOf(endpoint);
    if (alive && agent != null) {
      agent.setShare(port, share, behind, floorBitsPerSecond);
      wakeUp(network.scheduler().now());
    }
  }

  /**
   * A port's share, to be passed on to sources that cause marks.
   *
   * @param reached this host's endpoints that are reached through the port, in order
   */
  public void setShareToPassOn(PortId port, PortShare share, int[] reached) {
    if (alive) {
      sharesToPassOn.put(port, share, reached, network.scheduler().now());
    }
  }

  /** Ends a port's control of all endpoints but these, by number. */
  public void releaseOthers(PortId port, int[] named) {
    if (!alive) {
      return;
    }
    for (EndpointAgent agent : agents) {
      boolean isNamed = false;
      for (int number : named) {
        isNamed |= agent.endpointNumber() == number;
      }
      if (!isNamed) {
        agent.release(port);
      }
    }
  }

  /** A notice for one of this host's endpoints. */
  public void takeNotice(int endpoint, PortId port, PortNotice notice, int[] behind) {
    EndpointAgent agent = agentOf(endpoint);
    if (alive && agent != null) {
      agent.takeNotice(network.scheduler().now(), port, notice, behind);
      wakeUp(network.scheduler().now());
    }
  }

  /** The agent dies: what is in the data path stays for one lease. */
  public void kill() {
    alive = false;
    openFromNanos = network.scheduler().now() + parameters.leaseNanos();
    stopTurning();
    outbox.end();
  }

  /** The agent stops and takes its traces along. */
  public void stop() {
    kill();
    openFromNanos = network.scheduler().now();
  }

  /** A limit in force for what an endpoint sends to a destination, bit/s. */
  public long limitBitsPerSecond(int endpoint, int destination) {
    return agentOf(endpoint).limitBitsPerSecond(destination);
  }

  /** Ports that an endpoint could not be controlled for: there were eight already. */
  public long refusedPorts() {
    long sum = 0;
    for (EndpointAgent agent : agents) {
      sum += agent.refusedPorts();
    }
    return sum;
  }

  private EndpointAgent agentOf(int endpoint) {
    LocalEndpoint found = localEndpoint(endpoint);
    return found == null ? null : agents.get(found.index);
  }

  @Override
  protected boolean isEnforcing(long nowNanos) {
    return nowNanos < openFromNanos;
  }

  @Override
  protected boolean isAlive() {
    return alive;
  }

  @Override
  protected boolean preservesEcn(LocalEndpoint endpoint) {
    return parameters.preserveEcn();
  }

  @Override
  protected void pairBegan(PairState pair) {
    agents.get(pair.local.index).place(pair);
  }

  @Override
  protected void leaves(PairState pair, Packet packet, long nowNanos) {}

  @Override
  protected void arrives(PairState pair, Packet packet, long nowNanos) {
    if (isEnforcing(nowNanos)) {
      agents.get(pair.local.index).arrives(pair, packet);
    }
  }

  @Override
  protected void turn(long nowNanos) {
    for (int i = 0; i < touchedCount(); i++) {
      PairState pair = touched(i);
      if (pair.sentBytes != pair.knownSentBytes) {
        agents.get(pair.local.index).sent(nowNanos, pair);
        pair.knownSentBytes = pair.sentBytes;
      }
      if (!parameters.noticesAlone() && isFeedbackDue(pair, nowNanos)) {
        feedBack(pair, nowNanos);
        passShareOn(pair, nowNanos);
      }
    }
    boolean changed = false;
    for (int i = 0; i < agents.size(); i++) {
      changed |= agents.get(i).runLaws(nowNanos);
    }
    if (changed) {
      host.nic().wake();
    }
    outbox.turn(nowNanos - lastTurnNanos);
    lastTurnNanos = nowNanos;
    for (int i = 0; i < touchedCount(); i++) {
      outbox.add(touched(i), nowNanos);
    }
    outbox.flush(nowNanos, tauNanos(), observer);
  }

  /**
   * A mark is told at once, and so is a full packet's worth of bytes. What is less, as
   * acknowledgements are, can wait: else these messages were a burden to the way back.
   */
  private boolean isFeedbackDue(PairState pair, long nowNanos) {
    return pair.cePackets != pair.fedCePackets
        || pair.receivedBytes - pair.fedBytes >= FEEDBACK_BYTES
        || pair.receivedPackets != pair.fedPackets && nowNanos - pair.fedNanos >= FEEDBACK_NANOS;
  }

  /** Tells the sender's shim what has arrived since the beginning: a lost message loses nothing. */
  private void feedBack(PairState pair, long nowNanos) {
    Packet message = network.pool().take();
    message.ipBytes = FEEDBACK_IP_BYTES;
    message.sequence = ++pair.feedbackSequence;
    message.feedbackPackets = pair.receivedPackets;
    message.feedbackMarks = pair.cePackets;
    message.feedbackBytes = pair.receivedBytes;
    pair.fedPackets = pair.receivedPackets;
    pair.fedBytes = pair.receivedBytes;
    pair.fedNanos = nowNanos;
    sendMessage(pair, message);
  }

  /** Tells a sender's shim whose packets were marked what the controller says of the port. */
  private void passShareOn(PairState pair, long nowNanos) {
    boolean isMarked = pair.cePackets != pair.fedCePackets;
    pair.fedCePackets = pair.cePackets;
    if (!isMarked || nowNanos - pair.sharePassedNanos < PASS_SHARE_NANOS) {
      return;
    }
    PassedShare lowest = sharesToPassOn.lowest(pair.local.endpoint.number(), nowNanos);
    if (lowest != null) {
      pair.sharePassedNanos = nowNanos;
      Packet message = network.pool().take();
      message.ipBytes = FEEDBACK_IP_BYTES;
      message.attachment = lowest;
      sendMessage(pair, message);
    }
  }

  @Override
  protected void takeMessage(PairState pair, Packet message, long nowNanos) {
    if (message.attachment instanceof PassedShare passed) {
      agents.get(pair.local.index).learnShare(passed, pair.remote);
      wakeUp(nowNanos);
      return;
    }
    if (message.sequence <= pair.heardSequence) {
      return; // Overtaken: the newer one told all of it.
    }
    boolean first = pair.heardSequence == 0;
    long packets = message.feedbackPackets - pair.heardPackets;
    long marks = message.feedbackMarks - pair.heardMarks;
    long bytes = message.feedbackBytes - pair.heardBytes;
    pair.heardSequence = message.sequence;
    pair.heardPackets = message.feedbackPackets;
    pair.heardMarks = message.feedbackMarks;
    pair.heardBytes = message.feedbackBytes;
    if (!first) { // The first is only a base for the next.
      agents.get(pair.local.index).feedback(pair.remote, packets, marks, bytes);
    }
  }

  @Override
  protected boolean mustTurn() {
    if (outbox.hasNews()) {
      return true;
    }
    for (int i = 0; i < agents.size(); i++) {
      if (agents.get(i).hasClasses()) {
        return true;
      }
    }
    return false;
  }
}

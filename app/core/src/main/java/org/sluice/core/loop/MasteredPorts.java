// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.loop;

import java.util.HashMap;
import java.util.Map;
import java.util.OptionalLong;
import java.util.function.LongSupplier;
import org.sluice.api.PortId;
import org.sluice.core.runtime.TakeoverTerms;
import org.sluice.core.setting.Topics;
import org.sluice.core.spi.Leadership;
import org.sluice.core.spi.Mastership;
import org.sluice.core.spi.Switches;
import org.sluice.engine.control.PortAuthority;

/**
 * This node decides about the ports of the switches whose master it is, and about receive ports if
 * it is the one that publishes profiles; and in which term.
 */
public final class MasteredPorts implements PortAuthority {
  private final Mastership mastership;
  private final Leadership leadership;
  private final Switches switches;
  private final TakeoverTerms terms;

  // Engine thread only: the platform takes its time for each question, and every decision queries
  // it.
  private final Map<String, Long> known = new HashMap<>();
  private long knownEpoch = -1;

  public MasteredPorts(
      Mastership mastership, Leadership leadership, Switches switches, LongSupplier clockMillis) {
    this.mastership = mastership;
    this.leadership = leadership;
    this.switches = switches;
    this.terms = new TakeoverTerms(clockMillis);
  }

  @Override
  public long epoch() {
    return mastership.epoch().get() + leadership.epoch().get() + switches.epoch().get();
  }

  /** Who is cut off from a switch may take itself for its master while another node is. */
  @Override
  public boolean decidesAbout(PortId port) {
    return port.isReceiver()
        ? leadership.isLocal(Topics.CLUSTER)
        : mastership.isLocal(port.datapath()) && switches.isConnected(port.datapath());
  }

  /** A switch that is gone has no master either, but nothing to hold. */
  @Override
  public boolean isVacant(PortId port) {
    return port.isReceiver()
        ? leadership.isVacant(Topics.CLUSTER)
        : mastership.masterOf(port.datapath()).isEmpty() && switches.isConnected(port.datapath());
  }

  /**
   * The term in which this node decides about a port. Engine thread only.
   *
   * <p>Control of a port ends with its last decision, which may come when another node decides
   * already: it is of this node's own last term. A newer one would have agents take this node for
   * the successor, and refuse the other's decisions.
   */
  public long term(PortId port) {
    long epochNow = epoch();
    if (epochNow != knownEpoch) {
      known.clear();
      knownEpoch = epochNow;
    }
    return port.isReceiver()
        ? known.computeIfAbsent(Topics.CLUSTER, this::leadershipTerm)
        : known.computeIfAbsent(port.datapath(), this::mastershipTerm);
  }

  private long mastershipTerm(String datapath) {
    return mastership.isLocal(datapath)
        ? terms.term(datapath, mastership.takeover(datapath))
        : terms.last(datapath);
  }

  private long leadershipTerm(String topic) {
    OptionalLong term = leadership.localTerm(topic);
    return term.isPresent() ? terms.term(topic, term.getAsLong()) : terms.last(topic);
  }
}

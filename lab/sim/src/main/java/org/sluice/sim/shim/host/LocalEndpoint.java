// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.shim.host;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.sluice.sim.network.Endpoint;
import org.sluice.sim.shim.marks.PhantomQueue;
import org.sluice.sim.shim.queue.SparseFlows;

/** One of a host's endpoints, as its shim sees it: its pairs, and its flows. */
public final class LocalEndpoint {
  public final Endpoint endpoint;

  /** Its index on the host. */
  public final int index;

  public final SparseFlows flows;

  private final List<PairState> pairs = new ArrayList<>();
  private PairState[] byRemote = new PairState[8];
  private long receiveCeilingBitsPerSecond;
  private PhantomQueue arrivals;

  LocalEndpoint(Endpoint endpoint, int index, SparseFlows flows) {
    this.endpoint = endpoint;
    this.index = index;
    this.flows = flows;
  }

  /** Its pair with another endpoint, or null. */
  public PairState find(int remote) {
    return remote < byRemote.length ? byRemote[remote] : null;
  }

  PairState add(int remote) {
    if (remote >= byRemote.length) {
      byRemote = Arrays.copyOf(byRemote, Math.max(remote + 1, byRemote.length * 2));
    }
    PairState pair = new PairState(this, remote);
    byRemote[remote] = pair;
    pairs.add(pair);
    return pair;
  }

  /** What may arrive there, bit/s; 0 is no limit. */
  public void setReceiveCeiling(long bitsPerSecond) {
    if (bitsPerSecond != receiveCeilingBitsPerSecond) {
      receiveCeilingBitsPerSecond = bitsPerSecond;
      arrivals = bitsPerSecond > 0 ? new PhantomQueue(bitsPerSecond) : null;
    }
  }

  /** The phantom queue of its receive ceiling, or null. */
  public PhantomQueue arrivals() {
    return arrivals;
  }

  /** Takes a packet that arrives; whether it exceeds the receive ceiling. */
  boolean exceeds(int bytes, long nowNanos) {
    return arrivals != null && arrivals.add(bytes, nowNanos);
  }

  public List<PairState> pairs() {
    return pairs;
  }
}

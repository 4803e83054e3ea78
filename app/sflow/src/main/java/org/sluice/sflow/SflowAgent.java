// SPDX-License-Identifier: Apache-2.0
package org.sluice.sflow;

import org.sluice.api.IpAddress;

/** A switch that is accepted: its quota, its sequences, and its flows, the longest unseen first. */
final class SflowAgent {
  final IpAddress address;
  final DatagramQuota quota;
  final SubAgents subAgents = new SubAgents();
  final SampleGaps gaps = new SampleGaps();
  private final int number;
  private FlowEntry oldest;
  private FlowEntry newest;
  private int flows;

  /**
   * An agent.
   *
   * @param number its own among all
   */
  SflowAgent(IpAddress address, int number, DatagramQuota quota) {
    this.address = address;
    this.number = number;
    this.quota = quota;
  }

  /** What stands for one of its sub-agents. */
  long subAgentKey(long agentHigh, long agentLow, long subAgent) {
    long hash = KeyedHash.add(KeyedHash.begin(), number);
    hash = KeyedHash.add(hash, agentHigh);
    return KeyedHash.add(KeyedHash.add(hash, agentLow), subAgent);
  }

  /** What stands for a data source of a sub-agent; not 0. */
  static long sourceKey(long subAgentKey, int sourceClass, long sourceIndex) {
    return KeyedHash.add(KeyedHash.add(subAgentKey, sourceClass), sourceIndex) | 1L << 63;
  }

  /** Flows that are counted by its samples. */
  int flows() {
    return flows;
  }

  /** The flow of which nothing has been sampled for longest; null: it has none. */
  FlowEntry oldest() {
    return oldest;
  }

  void append(FlowEntry flow) {
    flow.agent = this;
    flow.older = newest;
    flow.newer = null;
    if (newest == null) {
      oldest = flow;
    } else {
      newest.newer = flow;
    }
    newest = flow;
    flows++;
  }

  void remove(FlowEntry flow) {
    if (flow.older == null) {
      oldest = flow.newer;
    } else {
      flow.older.newer = flow.newer;
    }
    if (flow.newer == null) {
      newest = flow.older;
    } else {
      flow.newer.older = flow.older;
    }
    flow.older = null;
    flow.newer = null;
    flows--;
  }
}

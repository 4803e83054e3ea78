// SPDX-License-Identifier: Apache-2.0
package org.sluice.onos.testing;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import org.onosproject.cluster.Leader;
import org.onosproject.cluster.Leadership;
import org.onosproject.cluster.LeadershipEvent;
import org.onosproject.cluster.LeadershipEventListener;
import org.onosproject.cluster.LeadershipServiceAdapter;
import org.onosproject.cluster.NodeId;

/** Leadership that a test hands out; topics are led by nobody until then. */
public final class FakeLeadership extends LeadershipServiceAdapter {
  public final Set<String> candidacies = new HashSet<>();
  private final List<LeadershipEventListener> listeners = new CopyOnWriteArrayList<>();
  private Leadership leadership;
  private long term;

  /** A node becomes the leader of the topic. */
  public void elect(String topic, NodeId node) {
    leadership = new Leadership(topic, new Leader(node, ++term, 1), List.of(node));
    listeners.forEach(
        listener ->
            listener.event(new LeadershipEvent(LeadershipEvent.Type.LEADER_CHANGED, leadership)));
  }

  @Override
  public Leadership runForLeadership(String topic) {
    candidacies.add(topic);
    return leadership;
  }

  @Override
  public void withdraw(String topic) {
    candidacies.remove(topic);
  }

  @Override
  public Leadership getLeadership(String topic) {
    return leadership;
  }

  @Override
  public void addListener(LeadershipEventListener listener) {
    listeners.add(listener);
  }

  @Override
  public void removeListener(LeadershipEventListener listener) {
    listeners.remove(listener);
  }
}

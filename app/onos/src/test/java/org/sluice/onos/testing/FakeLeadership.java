// SPDX-License-Identifier: Apache-2.0
package org.sluice.onos.testing;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CopyOnWriteArrayList;
import org.onosproject.cluster.Leader;
import org.onosproject.cluster.Leadership;
import org.onosproject.cluster.LeadershipEvent;
import org.onosproject.cluster.LeadershipEventListener;
import org.onosproject.cluster.LeadershipServiceAdapter;
import org.onosproject.cluster.NodeId;
import org.onosproject.store.service.StorageException;

/** Leadership that a test hands out; topics are led by nobody until then. */
public final class FakeLeadership extends LeadershipServiceAdapter {
  public final Set<String> candidacies = new TreeSet<>();
  private final List<LeadershipEventListener> listeners = new CopyOnWriteArrayList<>();
  private final Map<String, Leadership> leaderships = new HashMap<>();
  private boolean isStoreAway;
  private long term;

  /** A node becomes the leader of the topic. */
  public void elect(String topic, NodeId node) {
    electInSilence(topic, node);
    post(LeadershipEvent.Type.LEADER_CHANGED, leaderships.get(topic));
  }

  /** As {@link #elect}, but no listener is notified. */
  public void electInSilence(String topic, NodeId node) {
    leaderships.put(topic, new Leadership(topic, new Leader(node, ++term, 1), List.of(node)));
  }

  /** What elections stand on cannot be reached. */
  public void loseStore() {
    isStoreAway = true;
    leaderships.values().forEach(each -> post(LeadershipEvent.Type.SERVICE_DISRUPTED, each));
  }

  /** It is back, and has forgotten all candidates. */
  public void returnStoreEmpty() {
    isStoreAway = false;
    leaderships.clear();
  }

  private void post(LeadershipEvent.Type type, Leadership leadership) {
    listeners.forEach(listener -> listener.event(new LeadershipEvent(type, leadership)));
  }

  private void requireStore() {
    if (isStoreAway) {
      throw new StorageException.Timeout();
    }
  }

  @Override
  public Leadership runForLeadership(String topic) {
    requireStore();
    candidacies.add(topic);
    return leaderships.getOrDefault(topic, new Leadership(topic, null, List.of()));
  }

  @Override
  public void withdraw(String topic) {
    candidacies.remove(topic);
  }

  @Override
  public Leadership getLeadership(String topic) {
    requireStore();
    return leaderships.get(topic);
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

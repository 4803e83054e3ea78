// SPDX-License-Identifier: Apache-2.0
package org.sluice.onos.testing;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import org.onosproject.cluster.Leader;
import org.onosproject.cluster.Leadership;
import org.onosproject.cluster.LeadershipEvent;
import org.onosproject.cluster.LeadershipEventListener;
import org.onosproject.cluster.LeadershipServiceAdapter;
import org.onosproject.cluster.NodeId;
import org.onosproject.store.service.StorageException;

/** ONOS's leadership: who runs leads, unless somebody does or a test has another node elected. */
public final class FakeLeadership extends LeadershipServiceAdapter {
  private final Map<String, Leadership> leaderships = new ConcurrentHashMap<>();
  private final AtomicLong lastTerm = new AtomicLong();
  private final List<LeadershipEventListener> listeners = new CopyOnWriteArrayList<>();
  private boolean isStoreAway;

  /** Another node becomes the leader, and this one remains a candidate. */
  public void elect(String topic, NodeId node) {
    changed(electInSilence(topic, node));
  }

  /** As {@link #elect}, but no listener is notified. */
  public Leadership electInSilence(String topic, NodeId node) {
    Leader leader = new Leader(node, lastTerm.incrementAndGet(), 1);
    Leadership led = new Leadership(topic, leader, List.of(node, OnosWorld.LOCAL));
    leaderships.put(topic, led);
    return led;
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

  private void changed(Leadership leadership) {
    post(LeadershipEvent.Type.LEADER_CHANGED, leadership);
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
    if (!leaderships.containsKey(topic)) {
      changed(electInSilence(topic, OnosWorld.LOCAL));
    }
    return leaderships.get(topic);
  }

  @Override
  public void withdraw(String topic) {
    if (leaderships.remove(topic) != null) {
      changed(new Leadership(topic, null, List.of()));
    }
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

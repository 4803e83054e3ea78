// SPDX-License-Identifier: Apache-2.0
package org.sluice.onos.platform;

import static org.onosproject.cluster.LeadershipEvent.Type.SERVICE_DISRUPTED;

import java.util.Map;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.onosproject.cluster.LeadershipEvent;
import org.onosproject.cluster.LeadershipService;
import org.onosproject.cluster.NodeId;
import org.onosproject.store.service.StorageException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.sluice.core.spi.Epoch;
import org.sluice.core.spi.Leadership;

/**
 * Leadership as ONOS's cluster elects it, kept from its events: ONOS reads it from its store, and
 * keeps who queries it waiting for seconds while the store is away.
 */
final class OnosLeadership implements Leadership {
  private static final Logger log = LoggerFactory.getLogger(OnosLeadership.class);

  private final LeadershipService service;
  private final NodeId local;
  private final Epoch epoch = new Epoch();
  private final Set<String> topics = ConcurrentHashMap.newKeySet();
  private final Map<String, org.onosproject.cluster.Leadership> known = new ConcurrentHashMap<>();
  private volatile boolean isDisrupted;

  OnosLeadership(LeadershipService service, NodeId local) {
    this.service = service;
    this.local = local;
  }

  /** What ONOS reports of a topic, or of the store of all. */
  void changed(LeadershipEvent event) {
    setDisrupted(event.type() == SERVICE_DISRUPTED);
    org.onosproject.cluster.Leadership now = event.subject();
    if (!isDisrupted && now != null && topics.contains(now.topic())) {
      known.put(now.topic(), now);
      epoch.advance();
    }
  }

  private void setDisrupted(boolean now) {
    if (isDisrupted != now) {
      isDisrupted = now;
      epoch.advance();
    }
  }

  /**
   * Makes up for lost events, and stands for election again where ONOS has dropped this node: its
   * store forgets candidates that were silent for half a minute, its own absence included. To be
   * called now and then; takes ONOS's time.
   */
  void renew() {
    topics.forEach(this::renew);
  }

  private synchronized void renew(String topic) {
    if (!topics.contains(topic)) {
      return;
    }
    org.onosproject.cluster.Leadership before = known.get(topic);
    try {
      org.onosproject.cluster.Leadership read = service.getLeadership(topic);
      org.onosproject.cluster.Leadership now =
          read != null && read.candidates().contains(local)
              ? read
              : service.runForLeadership(topic);
      setDisrupted(false);
      if (!now.equals(before)) {
        // An event that came meanwhile is newer.
        known.compute(topic, (key, last) -> Objects.equals(last, before) ? now : last);
        epoch.advance();
      }
    } catch (StorageException e) {
      log.debug("Leadership of {} cannot be read: {}", topic, e.toString());
    }
  }

  @Override
  public Epoch epoch() {
    return epoch;
  }

  @Override
  public void run(String topic) {
    topics.add(topic);
    renew(topic);
  }

  @Override
  public synchronized void withdraw(String topic) {
    topics.remove(topic);
    known.remove(topic);
    epoch.advance();
    service.withdraw(topic);
  }

  @Override
  public OptionalLong localTerm(String topic) {
    org.onosproject.cluster.Leadership leads = known.get(topic);
    return leads != null && local.equals(leads.leaderNodeId())
        ? OptionalLong.of(leads.leader().term())
        : OptionalLong.empty();
  }

  @Override
  public boolean isVacant(String topic) {
    org.onosproject.cluster.Leadership leads = known.get(topic);
    return isDisrupted || leads == null || leads.leader() == null;
  }
}

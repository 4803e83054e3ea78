// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.agent;

import java.util.HashMap;
import java.util.Map;
import org.sluice.api.IpAddress;
import org.sluice.api.link.BackgroundQueue;
import org.sluice.api.link.BackgroundQueues;
import org.sluice.api.link.DownlinkMessage;
import org.sluice.api.link.PortQueueSample;
import org.sluice.api.link.RateCap;
import org.sluice.sim.event.Scheduler;
import org.sluice.sim.network.Port;
import org.sluice.sim.network.Switch;
import org.sluice.sim.platform.SwitchNames;
import org.sluice.sim.queue.MicroFlowQueues;
import org.sluice.sim.shim.host.Addresses;

/**
 * The levels of a switch's ports, as their port agent keeps them: takes background queues and caps
 * from the controller. A controller's background queues end with its session.
 */
public final class LevelQueues implements AgentFunction {
  /** A full frame in 10 ms: a lower cap is taken for that. */
  private static final long LEAST_CAP_BITS_PER_SECOND = 1_200_000L;

  private final Scheduler scheduler;
  private final SwitchNames names;
  private final Addresses addresses;
  private final Map<Port, LevelCounts> ports = new HashMap<>();
  private long caps;

  /**
   * @param watched whose ports have {@link MicroFlowQueues}, those to a switch with a background
   *     queue for each of its ports
   */
  public LevelQueues(Scheduler scheduler, Switch watched, SwitchNames names, Addresses addresses) {
    this.scheduler = scheduler;
    this.names = names;
    this.addresses = addresses;
    watched.ports().forEach(port -> ports.put(port, new LevelCounts(queues(port))));
  }

  private static MicroFlowQueues queues(Port port) {
    return (MicroFlowQueues) port.queue();
  }

  /** Caps that were set or renewed. */
  public long caps() {
    return caps;
  }

  @Override
  public void sessionEnded() {
    ports.forEach(
        (port, counts) -> {
          queues(port).setDestinations(new int[0]);
          counts.clear();
        });
  }

  @Override
  public void received(DownlinkMessage message) {
    switch (message.kind()) {
      case BACKGROUND_QUEUES -> set(message.backgroundQueues());
      case RATE_CAPS -> message.rateCaps().forEach(this::cap);
      default -> {}
    }
  }

  private void set(BackgroundQueues wanted) {
    Port port = names.port(wanted.port());
    LevelCounts counts = ports.get(port);
    counts.clear();
    int[] queueByEndpoint = new int[addresses.count()];
    for (BackgroundQueue queue : wanted.queues()) {
      int number = number(queue.downstream().number());
      counts.name(number, queue.downstream());
      for (IpAddress ip : queue.destinations()) {
        queueByEndpoint[addresses.endpoint(ip).number()] = number;
      }
    }
    queues(port).setDestinations(queueByEndpoint);
  }

  private static int number(long downstreamPort) {
    return MicroFlowQueues.OWN + 1 + (int) downstreamPort;
  }

  private void cap(RateCap cap) {
    Port port = names.port(cap.port());
    long rate = cap.bitsPerSecond();
    if (rate > 0) {
      rate = Math.max(LEAST_CAP_BITS_PER_SECOND, rate);
      caps++;
    }
    queues(port)
        .background(number(cap.downstream().number()))
        .cap(rate, scheduler.now() + cap.holdNanos());
    port.wake();
  }

  /** The same sample of a port, with what each of its queues has done since the last one. */
  PortQueueSample describe(Port port, PortQueueSample sample) {
    return ports.get(port).describe(sample, scheduler.now());
  }
}

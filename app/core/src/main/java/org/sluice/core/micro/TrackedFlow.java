// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.micro;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.sluice.api.EndpointId;
import org.sluice.api.HostId;
import org.sluice.api.PortId;
import org.sluice.api.TenantId;
import org.sluice.api.deadline.FlowKey;
import org.sluice.api.queue.BackgroundFlow;
import org.sluice.core.counter.RecentRate;
import org.sluice.engine.path.Path;

/** What is known of a background flow. Engine thread only. */
final class TrackedFlow {
  final FlowKey key;

  /** Whose agent reports it; null: switches do. */
  final HostId reporter;

  final Optional<EndpointId> endpoint;
  final Optional<TenantId> tenant;
  final FlowIntake.Owner owner;
  private final long firstNanos;
  private final RecentRate rate = RecentRate.shown();
  private long seenNanos;
  private long bytes;

  /** As of a version of {@link Feeders}. */
  Route route = Route.NONE;

  List<PortId> ports = List.of();
  Optional<Path> path = Optional.empty();
  long version = Long.MIN_VALUE;

  TrackedFlow(
      FlowKey key,
      HostId reporter,
      Optional<EndpointId> endpoint,
      Optional<TenantId> tenant,
      FlowIntake.Owner owner,
      long nowNanos) {
    this.key = key;
    this.reporter = reporter;
    this.endpoint = endpoint;
    this.tenant = tenant;
    this.owner = owner;
    this.firstNanos = nowNanos;
    this.seenNanos = nowNanos;
  }

  /**
   * Has sent so much since it began.
   *
   * @return how much more than when it was seen last, bytes; 0 for the first time
   */
  long sent(long allBytes, long nowNanos) {
    long more = bytes == 0 ? 0 : Math.max(0, allBytes - bytes);
    bytes = allBytes;
    if (nowNanos > seenNanos) {
      rate.add(more, nowNanos - seenNanos);
      seenNanos = nowNanos;
    }
    return more;
  }

  BackgroundFlow describe(long nowNanos) {
    return BackgroundFlow.builder(key)
        .source(reporter == null ? BackgroundFlow.Source.SFLOW : BackgroundFlow.Source.AGENT)
        .endpoint(endpoint)
        .tenant(tenant)
        .sentBytes(bytes)
        .sentBitsPerSecond(rate.bitsPerSecond())
        .ageMillis(TimeUnit.NANOSECONDS.toMillis(nowNanos - firstNanos))
        .ports(ports)
        .build();
  }
}

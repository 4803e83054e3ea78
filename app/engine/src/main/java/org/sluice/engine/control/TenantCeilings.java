// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.control;

import java.util.Arrays;
import org.sluice.engine.law.TenantCeilingLaw;
import org.sluice.engine.state.EndpointTable;
import org.sluice.engine.state.EngineState;
import org.sluice.engine.state.TenantTable;

/**
 * Divides the ceilings of tenants that share among their endpoints ({@link TenantCeilingLaw}), by
 * what hosts report that these send. A tenant is evaluated every {@link #UPDATE_NANOS}, and its
 * endpoints' parts are published when one of them has changed enough: earlier where it has become
 * less, as the ceiling is exceeded until then.
 */
public final class TenantCeilings {
  /** As often as rates of idle pairs fade, ns. */
  static final long UPDATE_NANOS = 40_000_000L;

  /** A part that has grown by less is not worth a message. */
  static final double NOTICEABLE_MORE = 0.05;

  /** One that has become less by less than this is not. */
  static final double NOTICEABLE_LESS = 0.02;

  /** Nothing published for so long: what is left is made good, ns. */
  static final long SETTLED_NANOS = 500_000_000L;

  /** Then either change is worth a message from here on. */
  static final double NOTICEABLE_SETTLED = 0.005;

  /** What goes to others of the host is reported less often than evaluated: smoothed over, ns. */
  private static final double LOCAL_WINDOW_NANOS = 200e6;

  private static final long NOT_LITTLE = Long.MAX_VALUE;

  /** Tenants are evaluated in so many turns, not all at once. */
  private static final int TURNS = 8;

  private final EngineState state;
  private final DecisionSink sink;
  private final Reservations reservations;
  private final TenantCeilingLaw law = new TenantCeilingLaw();
  private int endpointsVersion = -1;
  private int tenantsVersion = -1;

  // By row of an endpoint:
  private double[] headroom = {};

  private double[] localRate = {};
  private long[] littleSince = {};

  /** Its part, without what it may send beyond that, bit/s. */
  private double[] divided = {};

  /** Rows of the endpoints of tenants with a ceiling, those of one tenant side by side. */
  private int[] member = {};

  private int tenants;

  // By tenant with a ceiling:
  private int[] tenant = {};
  private int[] start = {0};

  // By row of a tenant:
  private long[] updatedAt = {};
  private long[] dueAt = {};

  /** When parts were published last, ns. */
  private long[] publishedAt = {};

  /** How many of its endpoints have been found, then where the next one goes. */
  private int[] place = {};

  // Of the tenant that is evaluated:
  private double[] weight = {};
  private double[] rate = {};
  private double[] headrooms = {};
  private double[] floor = {};
  private double[] most = {};
  private double[] part = {};

  public TenantCeilings(EngineState state, DecisionSink sink, Reservations reservations) {
    this.state = state;
    this.sink = sink;
    this.reservations = reservations;
  }

  /** Divides ceilings where that is due, and publishes parts that have changed. */
  public void tick(long now) {
    boolean changed =
        endpointsVersion != state.endpoints.version || tenantsVersion != state.tenants.version;
    if (changed) {
      endpointsVersion = state.endpoints.version;
      tenantsVersion = state.tenants.version;
      gather();
    }
    for (int i = 0; i < tenants; i++) {
      int row = tenant[i];
      if (changed || now >= dueAt[row] || state.tenants.hasBegunToWait[row]) {
        state.tenants.hasBegunToWait[row] = false;
        dueAt[row] = now + UPDATE_NANOS - (changed ? UPDATE_NANOS / TURNS * (i % TURNS) : 0);
        long step = updatedAt[row] == 0 ? UPDATE_NANOS : Math.max(1, now - updatedAt[row]);
        updatedAt[row] = now;
        update(i, now, step);
      }
    }
  }

  /** An endpoint is about to be removed. */
  public void forget(int endpoint) {
    publish(endpoint, 0);
    if (endpoint < headroom.length) {
      reset(endpoint);
    }
  }

  private void reset(int endpoint) {
    headroom[endpoint] = 0;
    localRate[endpoint] = 0;
    littleSince[endpoint] = NOT_LITTLE;
    divided[endpoint] = 0;
  }

  // ---------------------------------------------------------------- who is limited

  private void gather() {
    ensure(state.endpoints.limit(), state.tenants.size());
    tenants = 0;
    Arrays.fill(place, 0);
    for (int row = 0; row < state.endpoints.limit(); row++) {
      if (isLimited(row)) {
        place[state.endpoints.tenant[row]]++;
      } else if (state.endpoints.id[row] != null) {
        publish(row, 0);
        reset(row);
      }
    }
    int size = 0;
    for (int row = 0; row < state.tenants.size(); row++) {
      int count = place[row];
      if (count > 0) {
        place[row] = size;
        tenant[tenants] = row;
        start[tenants++] = size;
        size += count;
      }
    }
    start[tenants] = size;
    for (int row = 0; row < state.endpoints.limit(); row++) {
      if (isLimited(row)) {
        member[place[state.endpoints.tenant[row]]++] = row;
      }
    }
  }

  private boolean isLimited(int endpoint) {
    if (state.endpoints.id[endpoint] == null) {
      return false;
    }
    TenantTable all = state.tenants;
    int row = state.endpoints.tenant[endpoint];
    return all.isShared[row] && all.ceilingBitsPerSecond[row] > 0;
  }

  private void ensure(int endpoints, int tenantRows) {
    if (headroom.length < endpoints) {
      int before = headroom.length;
      int length = Math.max(endpoints, 2 * before);
      headroom = Arrays.copyOf(headroom, length);
      localRate = Arrays.copyOf(localRate, length);
      littleSince = Arrays.copyOf(littleSince, length);
      divided = Arrays.copyOf(divided, length);
      Arrays.fill(littleSince, before, length, NOT_LITTLE);
      member = new int[length];
      weight = new double[length];
      rate = new double[length];
      headrooms = new double[length];
      floor = new double[length];
      most = new double[length];
      part = new double[length];
    }
    if (place.length < tenantRows) {
      int length = Math.max(tenantRows, 2 * place.length);
      updatedAt = Arrays.copyOf(updatedAt, length);
      dueAt = Arrays.copyOf(dueAt, length);
      publishedAt = Arrays.copyOf(publishedAt, length);
      place = new int[length];
      tenant = new int[length];
      start = new int[length + 1];
    }
  }

  // ---------------------------------------------------------------- one tenant

  private void update(int index, long now, long stepNanos) {
    double ceiling = state.tenants.ceilingBitsPerSecond[tenant[index]];
    int first = start[index];
    int count = start[index + 1] - first;
    double totalWeight = 0;
    for (int i = 0; i < count; i++) {
      weight[i] = state.endpoints.weightMicros[member[first + i]] / EndpointTable.MICROS;
      totalWeight += weight[i];
    }
    for (int i = 0; i < count; i++) {
      int row = member[first + i];
      long bound = state.mostBitsPerSecond(row);
      most[i] = bound == Long.MAX_VALUE ? Double.POSITIVE_INFINITY : bound;
      rate[i] = state.endpoints.deliveredBitsPerSecond[row] + localRate(row, stepNanos);
      floor[i] = reservations.greatestOf(state.endpoints.id[row]);
      headrooms[i] =
          headroom(row, i, TenantCeilingLaw.idleHeadroom(ceiling, weight[i] / totalWeight), now);
    }
    law.divide(ceiling, count, weight, rate, headrooms, floor, most, part);
    boolean isSettled = now - publishedAt[tenant[index]] >= SETTLED_NANOS;
    double more = isSettled ? NOTICEABLE_SETTLED : NOTICEABLE_MORE;
    double less = isSettled ? NOTICEABLE_SETTLED : NOTICEABLE_LESS;
    if (isNoticeable(first, count, more, less)) {
      publishedAt[tenant[index]] = now;
      for (int i = 0; i < count; i++) {
        int row = member[first + i];
        divided[row] = part[i];
        publish(row, Math.max(1, Math.round(part[i])));
      }
    }
  }

  private double localRate(int endpoint, long stepNanos) {
    double gain = stepNanos / (stepNanos + LOCAL_WINDOW_NANOS);
    double now = state.endpoints.localBytes[endpoint] * 8e9 / stepNanos;
    state.endpoints.localBytes[endpoint] = 0;
    localRate[endpoint] += gain * (now - localRate[endpoint]);
    return localRate[endpoint];
  }

  private double headroom(int endpoint, int index, double idleHeadroom, long now) {
    double held = divided[endpoint];
    if (!TenantCeilingLaw.isLittle(headroom[endpoint], rate[index], held)) {
      littleSince[endpoint] = NOT_LITTLE;
    } else if (littleSince[endpoint] == NOT_LITTLE) {
      littleSince[endpoint] = now;
    }
    long little = littleSince[endpoint] == NOT_LITTLE ? 0 : now - littleSince[endpoint];
    double ceiling = state.tenants.ceilingBitsPerSecond[state.endpoints.tenant[endpoint]];
    if (state.endpoints.hasBegunToWait[endpoint]) {
      state.endpoints.hasBegunToWait[endpoint] = false;
      littleSince[endpoint] = NOT_LITTLE;
      headroom[endpoint] =
          Math.max(headroom[endpoint], TenantCeilingLaw.beginnersHeadroom(ceiling));
    } else {
      headroom[endpoint] =
          TenantCeilingLaw.headroom(
              headroom[endpoint], rate[index], held, idleHeadroom, ceiling, little);
    }
    return headroom[endpoint];
  }

  private boolean isNoticeable(int first, int count, double more, double less) {
    for (int i = 0; i < count; i++) {
      int row = member[first + i];
      double before = state.endpoints.ceilingPartBitsPerSecond[row];
      double change = part[i] - before;
      if (change > more * before || -change > less * before) {
        return true;
      }
    }
    return false;
  }

  private void publish(int endpoint, long bitsPerSecond) {
    if (state.endpoints.ceilingPartBitsPerSecond[endpoint] != bitsPerSecond) {
      state.endpoints.ceilingPartBitsPerSecond[endpoint] = bitsPerSecond;
      sink.ceiling(state.endpoints.id[endpoint], bitsPerSecond);
    }
  }
}

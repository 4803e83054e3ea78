// SPDX-License-Identifier: Apache-2.0
package org.sluice.rest;

import java.util.HashMap;
import java.util.Map;
import java.util.function.LongSupplier;
import javax.ws.rs.core.Configuration;

/**
 * How many requests each of tenants' users may send: what they cost the controller, and its engine
 * thread with them, is at others' expense. Thread-safe.
 */
final class RequestBudget {
  /** The property of the application that holds the budget. */
  static final String PROPERTY = "org.sluice.rest.budget";

  static final int REQUESTS_PER_SECOND = 100;
  static final int BURST = 2 * REQUESTS_PER_SECOND;

  /** What an explanation counts: the engine thread computes it, from all that is promised. */
  static final int EXPLANATION = 10;

  private static final double NANOS_PER_REQUEST = 1e9 / REQUESTS_PER_SECOND;

  private final LongSupplier nanoTime;

  /** By user who has sent lately: when all that was sent will be made up for, ns. */
  private final Map<String, Long> paidNanos = new HashMap<>();

  RequestBudget(LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
  }

  static RequestBudget of(Configuration application) {
    return (RequestBudget) application.getProperty(PROPERTY);
  }

  /** Takes so many requests out of a user's budget; false, and nothing, if they are not in it. */
  synchronized boolean take(String user, int requests) {
    long now = nanoTime.getAsLong();
    paidNanos.values().removeIf(paid -> paid - now <= 0);
    long paid = paidNanos.getOrDefault(user, now) + (long) (requests * NANOS_PER_REQUEST);
    if (paid - now > BURST * NANOS_PER_REQUEST) {
      return false;
    }
    paidNanos.put(user, paid);
    return true;
  }
}

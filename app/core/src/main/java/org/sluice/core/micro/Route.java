// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.micro;

import java.util.List;

/** The feeders on a path. */
final class Route {
  static final Route NONE = new Route(List.of());

  final List<Feeder> feeders;

  /** The engine's, in the same order. */
  final int[] numbers;

  Route(List<Feeder> feeders) {
    this.feeders = List.copyOf(feeders);
    this.numbers = feeders.stream().mapToInt(feeder -> feeder.number).toArray();
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.transport;

import org.sluice.sim.network.Endpoint;

/** Traffic in one direction, from a source to a destination, with whatever comes back for it. */
public interface Flow {
  String name();

  Endpoint source();

  Endpoint destination();

  /** By which switches choose among equal ports for what it sends. */
  int pathHash();

  /** What has been counted so far, at both ends. */
  FlowStatistics statistics();

  /** Arms the start, at a time not before now, ns. */
  void start(long atNanos);

  /** Arms the end of new data, at a time not before now, ns. What is in flight still arrives. */
  void stop(long atNanos);
}

// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.deployment;

import org.sluice.core.deadline.PortProfile;

/** A scenario's ports, all with the same K, its transports and its control channels. */
final class SedPorts implements PortProfile {
  private final SedParameters parameters;

  SedPorts(SedParameters parameters) {
    this.parameters = parameters;
  }

  @Override
  public double payloadFraction() {
    return parameters.payloadFraction();
  }

  @Override
  public int segmentBytes() {
    return parameters.settings().segmentBytes();
  }

  @Override
  public long thresholdBytes(long capacityBitsPerSecond) {
    return parameters.thresholdBytes();
  }

  @Override
  public long roundTripNanos() {
    return parameters.roundTripNanos();
  }

  @Override
  public int initialSegments() {
    return parameters.initialSegments();
  }

  @Override
  public long latencyNanos(long controlPeriodNanos) {
    return parameters.latencyNanos();
  }
}

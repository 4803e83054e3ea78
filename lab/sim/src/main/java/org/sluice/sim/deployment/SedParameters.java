// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.deployment;

import org.sluice.engine.law.DeadlineParameters.Expired;
import org.sluice.engine.law.WindowScheme;
import org.sluice.sim.platform.ChannelParameters;
import org.sluice.sim.shim.deadline.SedSettings;

/**
 * SED on a network.
 *
 * @param windows the law of windows
 * @param expired what becomes of flows whose deadline has passed
 * @param initialSegments initial window of senders, above 0
 * @param latencyNanos how long a report to the controller and a grant back take, at least 0
 * @param settings of the shims
 * @param thresholdBytes K of every port of a switch, above 0
 * @param roundTripNanos without queues, before any is measured, above 0
 * @param periodNanos how often the controller ticks, above 0
 * @param watchNanos how often a switch reads its queues, above 0
 * @param payloadFraction what of a port's bits is payload, above 0, at most 1
 * @param channel between controller and hosts
 */
public record SedParameters(
    WindowScheme windows,
    Expired expired,
    int initialSegments,
    long latencyNanos,
    SedSettings settings,
    long thresholdBytes,
    long roundTripNanos,
    long periodNanos,
    long watchNanos,
    double payloadFraction,
    ChannelParameters channel) {
  /** K = 30 packets, a round trip of 200 us, a tick every 1 ms, queues read every 50 us. */
  public static final SedParameters DEFAULTS =
      new SedParameters(
          WindowScheme.EDF,
          Expired.DEMOTE,
          10,
          1_000_000,
          SedSettings.DEFAULTS,
          30 * 1460,
          200_000,
          1_000_000,
          50_000,
          1460.0 / 1500,
          ChannelParameters.DEFAULTS);

  /** The same with other shims. */
  public SedParameters with(SedSettings value) {
    return new SedParameters(
        windows,
        expired,
        initialSegments,
        latencyNanos,
        value,
        thresholdBytes,
        roundTripNanos,
        periodNanos,
        watchNanos,
        payloadFraction,
        channel);
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.law;

import java.util.Arrays;
import java.util.List;

/**
 * The reference that {@link SedAdmission} is held against: all flows go at once, and whenever one
 * begins or ends each gets, in the order given, what those before it leave at its ports.
 */
final class FluidReference {

  private FluidReference() {}

  static double[] finishTimes(
      ResidualCapacity[] ports, double[] bytesPerSecond, List<FlowDemand> demands) {
    int count = demands.size();
    double[] left = demands.stream().mapToDouble(d -> d.bytes).toArray();
    double[] finish = new double[count];
    double now = 0;
    while (true) {
      double[] free = bytesPerSecond.clone();
      double[] rate = new double[count];
      double next = Double.POSITIVE_INFINITY;
      for (int i = 0; i < count; i++) {
        FlowDemand demand = demands.get(i);
        if (left[i] > 0 && demand.readyNanos > now) {
          next = Math.min(next, demand.readyNanos);
        } else if (left[i] > 0) {
          rate[i] = Double.MAX_VALUE;
          for (ResidualCapacity port : demand.path) {
            rate[i] = Math.min(rate[i], free[Arrays.asList(ports).indexOf(port)]);
          }
          for (ResidualCapacity port : demand.path) {
            free[Arrays.asList(ports).indexOf(port)] -= rate[i];
          }
          next = rate[i] > 0 ? Math.min(next, now + left[i] / rate[i] * 1e9) : next;
        }
      }
      if (next == Double.POSITIVE_INFINITY) {
        return finish;
      }
      for (int i = 0; i < count; i++) {
        left[i] -= rate[i] * (next - now) / 1e9;
        if (rate[i] > 0 && left[i] < 1e-3) {
          left[i] = 0;
          finish[i] = next;
        }
      }
      now = next;
    }
  }
}

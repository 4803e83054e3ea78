// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.scenario.run;

import java.util.List;
import java.util.Map;
import org.sluice.sim.fabric.Fabric;
import org.sluice.sim.scenario.measure.EndpointShare;
import org.sluice.sim.scenario.measure.Recording;
import org.sluice.sim.scenario.plan.Variant;

/**
 * What a variant with a seed has yielded.
 *
 * @param variant of the scenario
 * @param seed from 1
 * @param packetHops packets serialised on links
 * @param events that fired
 * @param cpuSeconds of the thread that ran it, building included
 * @param peakMegabytes the most that the process held on its heap after a collection while this ran
 * @param metrics by name, sorted; NaN where there was nothing to measure
 * @param fabric what was drawn for the seed; null where the scenario has a network of its own
 * @param endpoints what each was due and got; none where that is not measured
 * @param recording for tables and plots; null for all seeds but the first
 */
public record Run(
    Variant variant,
    int seed,
    long packetHops,
    long events,
    double cpuSeconds,
    double peakMegabytes,
    Map<String, Double> metrics,
    Fabric fabric,
    List<EndpointShare> endpoints,
    Recording recording) {
  public Run {
    endpoints = List.copyOf(endpoints);
  }
}

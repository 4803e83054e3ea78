// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.scenario.measure;

import java.util.List;

/** What a {@link CounterSampler} has read in a run that is over. Holds nothing of the network. */
public record Recording(Timeline timeline, List<GroupSeries> groups, List<PortSeries> ports) {
  public Recording {
    groups = List.copyOf(groups);
    ports = List.copyOf(ports);
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.testing;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.sluice.core.spi.CapMeter;
import org.sluice.core.spi.CapMeters;

/** What a node had switches meter. */
public final class FakeCapMeters implements CapMeters {
  /** Each time that the node requested some; the last one holds. */
  public final List<List<CapMeter>> asked = new ArrayList<>();

  /** Switches that take no meters. */
  public final Set<String> refusing = new HashSet<>();

  @Override
  public void set(Collection<CapMeter> meters) {
    asked.add(List.copyOf(meters));
  }

  @Override
  public boolean isRefusedBy(String datapath) {
    return refusing.contains(datapath);
  }
}

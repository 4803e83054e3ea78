// SPDX-License-Identifier: Apache-2.0
package org.sluice.forwarding.pipeline;

import com.google.auto.value.AutoValue;
import java.util.Comparator;
import org.sluice.api.PortId;
import org.sluice.core.spi.CapMeter;

/** A port of a switch and the port by which its traffic leaves the next one. */
@AutoValue
abstract class PortPair implements Comparable<PortPair> {
  private static final Comparator<PortPair> ORDER =
      Comparator.comparing(PortPair::upstream).thenComparing(PortPair::downstream);

  static PortPair of(PortId upstream, PortId downstream) {
    return new AutoValue_PortPair(upstream, downstream);
  }

  static PortPair of(CapMeter meter) {
    return of(meter.upstream(), meter.downstream());
  }

  abstract PortId upstream();

  abstract PortId downstream();

  @Override
  public int compareTo(PortPair other) {
    return ORDER.compare(this, other);
  }
}

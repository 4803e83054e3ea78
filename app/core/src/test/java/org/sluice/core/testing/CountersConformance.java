// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.testing;

import static java.util.stream.Collectors.toList;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.sluice.api.counters.CounterListener;
import org.sluice.api.counters.MeterSample;
import org.sluice.api.counters.PortSample;
import org.sluice.core.spi.PlatformCounters;

/** What a platform's own counters promise. */
public abstract class CountersConformance {
  private final List<PortSample> samples = new ArrayList<>();
  private final CounterListener listener =
      new CounterListener() {
        @Override
        public void portRead(PortSample sample) {
          samples.add(sample);
        }

        @Override
        public void meterRead(MeterSample sample) {
          // The platform itself reads ports alone.
        }
      };

  /** The counters under test, of switches s1 and s2; nobody has read them. */
  protected abstract PlatformCounters counters();

  /** So many packets arrive at port 1 of a switch. */
  protected abstract void receive(String name, int packets);

  /** The platform reads all switches, as it does every few seconds. */
  protected abstract void read();

  /** What was read of port 1 of a switch since this was called last. */
  protected final List<PortSample> taken(String name) {
    List<PortSample> ofPort =
        samples.stream()
            .filter(each -> each.port().equals(Samples.port(name + "/1")))
            .collect(toList());
    samples.removeAll(ofPort);
    return ofPort;
  }

  /** Somebody listens, and all switches have been read. */
  protected final void begin() {
    counters().addListener(listener);
    read();
    samples.clear();
  }

  @Test
  void aSampleIsWhatPassedSinceTheReadingBefore() {
    receive("s1", 3);
    begin();
    for (int packets : new int[] {7, 0, 5}) {
      receive("s1", packets);
      receive("s2", 2 * packets);
      read();
      PortSample first = taken("s1").get(0);
      assertThat(first.rxPackets()).isEqualTo(packets);
      assertThat(first.intervalNanos()).isPositive();
      assertThat(taken("s2").get(0).rxPackets()).isEqualTo(2L * packets);
    }
  }

  @Test
  void whoListensNoLongerGetsNothing() {
    begin();
    counters().removeListener(listener);
    receive("s1", 1);
    read();
    assertThat(taken("s1")).isEmpty();
  }
}

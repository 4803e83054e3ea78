// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.sluice.api.PortStatus;
import org.sluice.api.counters.MeterSample;
import org.sluice.api.counters.PortSample;
import org.sluice.api.link.HostObservation;
import org.sluice.engine.marks.Signals;

/**
 * 240 ports of the {@link SyntheticDataCenter} begin to mark at once, most of them behind others
 * that do. What marks is read every period, all else every 20, and no other port is charged at any
 * time.
 */
class ColdStartTest {
  private static final int PERIODS = 120;
  private static final int QUIET_PERIODS = 20;

  @Test
  void marksOfHostsAreAttributedToTheMarkingPorts() {
    SyntheticDataCenter network = new SyntheticDataCenter(EngineParameters.DEFAULTS).metered();
    assertThat(blamed(network)).isEqualTo(SyntheticDataCenter.MARKING_PORTS);
  }

  @Test
  void metersIdentifyTheMarkingPorts() {
    EngineParameters meters = EngineParameters.DEFAULTS.withSignals(Signals.METERS);
    SyntheticDataCenter network = new SyntheticDataCenter(meters).metered();
    assertThat(network.markingLinks()).isGreaterThan(100);
    // Those of receivers, which meters do not see, are loaded.
    assertThat(blamed(network)).isEqualTo(SyntheticDataCenter.MARKING_PORTS);
  }

  /** How many are blamed in the end. */
  private static long blamed(SyntheticDataCenter network) {
    List<HostObservation> sent = network.allSent();
    List<HostObservation> unmarked = network.allUnmarked();
    for (int h = 0; h < sent.size(); h++) {
      network.engine.observe(sent.get(h));
      network.engine.observe(unmarked.get(h));
    }
    long blamed = 0;
    for (int i = 0; i < PERIODS; i++) {
      for (int h = i % QUIET_PERIODS; h < sent.size(); h += QUIET_PERIODS) {
        network.engine.observe(sent.get(h));
        network.engine.observe(unmarked.get(h));
      }
      network.allMarked().forEach(network.engine::observe);
      readSwitches(network, i);
      network.tick();
      blamed = 0;
      for (PortStatus port : network.engine.portStatuses()) {
        if (port.congested()) {
          assertThat(network.marks(port.id())).as("%s in period %d", port.id(), i).isTrue();
          blamed++;
        }
      }
    }
    return blamed;
  }

  private static void readSwitches(SyntheticDataCenter network, int period) {
    long now = network.nowNanos();
    for (MeterSample sample : network.markedMeters()) {
      network.engine.observe(sample, now);
    }
    List<MeterSample> quiet = network.quietMeters();
    for (int m = period % QUIET_PERIODS; m < quiet.size(); m += QUIET_PERIODS) {
      network.engine.observe(quiet.get(m), now);
    }
    List<PortSample> ports = network.portSamples();
    for (int p = period % QUIET_PERIODS; p < ports.size(); p += QUIET_PERIODS) {
      network.engine.observe(ports.get(p), now);
    }
  }
}

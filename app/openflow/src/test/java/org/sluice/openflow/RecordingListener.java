// SPDX-License-Identifier: Apache-2.0
package org.sluice.openflow;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.sluice.api.counters.CounterListener;
import org.sluice.api.counters.MeterSample;
import org.sluice.api.counters.PortSample;

/** Keeps what it is called with. */
final class RecordingListener implements CounterListener {
  final List<PortSample> ports = new CopyOnWriteArrayList<>();
  final List<MeterSample> meters = new CopyOnWriteArrayList<>();

  @Override
  public void portRead(PortSample sample) {
    ports.add(sample);
  }

  @Override
  public void meterRead(MeterSample sample) {
    meters.add(sample);
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.sluice.api.counters;

/** Takes samples, on the reader's thread: it must not wait. */
public interface CounterListener {

  /** A port's counters were read. */
  void portRead(PortSample sample);

  /** A meter's counters were read. */
  void meterRead(MeterSample sample);
}

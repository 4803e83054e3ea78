// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.deadline;

import org.sluice.engine.law.PromisedRates;

/** Applies {@link PromisedRates} to all promised flows that send. */
final class DeadlineRates {
  private final DeadlinePorts ports;

  DeadlineRates(DeadlinePorts ports) {
    this.ports = ports;
  }

  void publish(GifTable gif, long nowNanos, RateSink sink) {
    for (DeadlinePort port : ports.all()) {
      port.openRate();
    }
    for (int i = 0; i < gif.firstNotPromised(); i++) {
      GifRow row = gif.walk(i);
      if (row.isSending()) {
        double rate = PromisedRates.neededBytesPerSecond(row, nowNanos);
        for (DeadlinePort port : row.path) {
          rate = Math.min(rate, port.rate());
        }
        if (rate > 0) {
          for (DeadlinePort port : row.path) {
            port.takeRate(rate);
            sink.rate(row.connection, port.id, rate);
          }
        }
      }
    }
  }
}

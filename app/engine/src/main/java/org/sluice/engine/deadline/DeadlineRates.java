// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.deadline;

/**
 * What promised flows that send must be let through, whatever their sources' shares are: what is
 * left of them over the time that is left to them, s/d, in the order of their deadlines as far as
 * the ports on their ways have it.
 */
final class DeadlineRates {
  /** So much of a port may go to promised flows: the rest is for those without a promise. */
  private static final double PART = 0.9;

  private static final int MARGIN_ROUND_TRIPS = 2;

  private final DeadlinePorts ports;
  private final DeadlineParameters parameters;

  DeadlineRates(DeadlinePorts ports, DeadlineParameters parameters) {
    this.ports = ports;
    this.parameters = parameters;
  }

  void tell(GifTable gif, long nowNanos, RateSink sink) {
    for (DeadlinePort port : ports.all()) {
      port.openRate(PART);
    }
    for (int i = 0; i < gif.firstNotPromised(); i++) {
      GifRow row = gif.walk(i);
      if (row.isSending()) {
        double rate = needed(row, nowNanos);
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

  private double needed(GifRow row, long nowNanos) {
    double margin = parameters.latencyNanos() + MARGIN_ROUND_TRIPS * row.baseRoundTripNanos;
    double left = row.hasteNanos(nowNanos) - margin;
    return row.remainingBytes() * 1e9 / Math.max(row.baseRoundTripNanos, left);
  }
}

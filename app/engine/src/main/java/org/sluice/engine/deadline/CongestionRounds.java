// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.deadline;

import java.util.List;

/** What congested ports have to know of all flows through them, found out in one go. */
final class CongestionRounds {
  private final GifTable gif;
  private final DeadlinePorts ports;
  private DeadlineParameters parameters;

  CongestionRounds(GifTable gif, DeadlinePorts ports) {
    this.gif = gif;
    this.ports = ports;
  }

  void setParameters(DeadlineParameters value) {
    parameters = value;
  }

  /** Ends congestion where it is time to. */
  void recover(long nowNanos) {
    boolean calm = false;
    List<DeadlinePort> congested = ports.congested();
    for (int i = 0; i < congested.size(); i++) {
      congested.get(i).openRelease();
      calm |= congested.get(i).isCalm(nowNanos);
    }
    for (int i = 0; calm && i < gif.size(); i++) {
      GifRow row = gif.get(i);
      double bytes = row.isSending() ? releasedBytes(row, nowNanos) : 0;
      for (DeadlinePort port : row.path) {
        port.addReleased(bytes);
      }
    }
    ports.recover(nowNanos);
  }

  /** What a flow would send at once if its window were released, as far as one can know. */
  private double releasedBytes(GifRow row, long nowNanos) {
    if (row.closed) {
      return 0;
    }
    double initial = parameters.firstWindowBytes();
    if (row.sizeBytes > 0 && row.remainingBytes() > 0) {
      return Math.min(initial, row.remainingBytes());
    }
    double lately = DeadlinePort.CALM_ROUND_TRIPS * (double) row.roundTripNanos;
    return nowNanos - row.progressNanos < lately ? initial : 0;
  }

  /**
   * RTT_base of a port: the mean of the flows through it; the paper's law takes the latest instead.
   */
  void measureRoundTrips() {
    boolean latest = parameters.isPapersLaw();
    List<DeadlinePort> congested = ports.congested();
    if (congested.isEmpty()) {
      return; // Nobody would read them.
    }
    for (int i = 0; i < congested.size(); i++) {
      congested.get(i).openRoundTrips();
    }
    for (int i = 0; i < gif.size(); i++) {
      GifRow row = gif.get(i);
      if (row.isSending()) {
        for (DeadlinePort port : row.path) {
          port.addRoundTrip(latest ? row.roundTripNanos : row.baseRoundTripNanos);
        }
      }
    }
    for (int i = 0; i < congested.size(); i++) {
      congested.get(i).closeRoundTrips();
    }
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.deadline;

import java.util.List;
import org.sluice.api.link.WindowGrant;
import org.sluice.engine.law.DeadlineParameters;
import org.sluice.engine.law.WindowAllocation;

/** What congestion depends on of all flows through a port, summed up in one go. */
final class CongestionRounds {
  private final GifTable gif;
  private final DeadlinePorts ports;

  CongestionRounds(GifTable gif, DeadlinePorts ports) {
    this.gif = gif;
    this.ports = ports;
  }

  /**
   * Begins congestion where a flow with a deadline sends beside others and all of them might send
   * more than T_win at once. While nothing is congested each may fill the port alone, and where
   * reports take longer than a round trip their sum has filled the buffer before K is noticed. As
   * SED is printed no flow has a window then, and so nothing can be summed up.
   */
  void begin(WindowAllocation allocation, long nowNanos) {
    for (int i = 0; i < gif.size(); i++) {
      for (DeadlinePort port : gif.get(i).path) {
        port.openRelease();
      }
    }
    for (int i = 0; i < gif.size(); i++) {
      GifRow row = gif.walk(i);
      if (row.isSending()) {
        long open = allocation.uncongestedBytes(row);
        release(row, open == WindowGrant.RELEASED ? 0 : releasedBytes(row, open, nowNanos));
      } else {
        release(row, row.windowBytes()); // It may begin at any time.
      }
    }
    for (int i = 0; i < gif.size(); i++) {
      ports.contend(gif.get(i).path, nowNanos);
    }
  }

  /** Ends congestion where it is time to. */
  void recover(DeadlineParameters parameters, long nowNanos) {
    boolean calm = false;
    List<DeadlinePort> congested = ports.congested();
    for (int i = 0; i < congested.size(); i++) {
      congested.get(i).openRelease();
      calm |= congested.get(i).isCalm(nowNanos);
    }
    double initial = parameters.firstWindowBytes();
    for (int i = 0; calm && i < gif.size(); i++) {
      GifRow row = gif.walk(i);
      release(row, row.isSending() ? releasedBytes(row, initial, nowNanos) : 0);
    }
    ports.recover(nowNanos);
  }

  private static void release(GifRow row, double bytes) {
    for (DeadlinePort port : row.path) {
      port.addReleased(bytes);
    }
  }

  /**
   * What a flow would send at once with a window, as far as one can know.
   *
   * @param window bytes
   */
  private static double releasedBytes(GifRow row, double window, long nowNanos) {
    if (row.closed || row.shared) {
      return 0;
    }
    if (row.sizeBytes > 0 && row.remainingBytes() > 0) {
      return Math.min(window, row.remainingBytes());
    }
    double lately = DeadlinePort.CALM_ROUND_TRIPS * (double) row.roundTripNanos;
    return nowNanos - row.progressNanos < lately ? window : 0;
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.deadline;

import java.util.LinkedHashMap;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.sluice.api.PortId;
import org.sluice.api.link.Loss;
import org.sluice.api.link.Resend;
import org.sluice.core.spi.PacketOut;

/** Lost packets that were reported whole, to be sent again by packet-out. Engine thread only. */
final class LostFrames {
  /** As many as a port agent keeps; of more the oldest are left to it. */
  private static final int MOST_FRAMES = 1024;

  private static final Logger LOG = LoggerFactory.getLogger(LostFrames.class);

  private final PacketOut packetOut;
  private final Map<Resend, byte[]> frames =
      new LinkedHashMap<>() {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Resend, byte[]> eldest) {
          return size() > MOST_FRAMES;
        }
      };
  private long sent;
  private boolean hasFailed;

  LostFrames(PacketOut packetOut) {
    this.packetOut = packetOut;
  }

  /** Keeps a lost packet, if it was reported with its frame. */
  void add(Loss loss) {
    if (loss.kept() != Loss.NOT_KEPT) {
      loss.frame().ifPresent(frame -> frames.put(Resend.of(loss.port(), loss.kept()), frame));
    }
  }

  /** Sends a packet again, if it is here; returns whether it was. */
  boolean send(Resend resend) {
    byte[] frame = frames.remove(resend);
    return frame != null && emit(resend.port(), frame);
  }

  private boolean emit(PortId port, byte[] frame) {
    try {
      packetOut.emit(port, frame);
    } catch (RuntimeException refused) {
      if (!hasFailed) {
        hasFailed = true;
        LOG.warn(
            "{}: no packet-out, so its agent sends lost packets again; check the switch's master",
            port,
            refused);
      }
      return false;
    }
    sent++;
    return true;
  }

  /** How many were sent. */
  long sent() {
    return sent;
  }

  void clear() {
    frames.clear();
  }
}

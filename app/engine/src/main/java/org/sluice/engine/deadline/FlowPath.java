// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.deadline;

import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import org.sluice.api.PortId;

/** The path of a registered flow at some time, and what is promised before it there. Immutable. */
public final class FlowPath {
  private final OptionalLong windowBytes;
  private final List<Hop> hops;

  private FlowPath(OptionalLong windowBytes, List<Hop> hops) {
    this.windowBytes = windowBytes;
    this.hops = List.copyOf(hops);
  }

  static FlowPath of(GifRow row, GifTable gif) {
    List<Hop> hops = new ArrayList<>();
    for (DeadlinePort port : row.path) {
      hops.add(new Hop(port, row, gif));
    }
    boolean isGranted = row.isSending() && row.publishedBytes >= 0;
    return new FlowPath(
        isGranted ? OptionalLong.of(row.publishedBytes) : OptionalLong.empty(), hops);
  }

  /** The window in force, bytes; empty: none, or it has not begun. */
  public OptionalLong windowBytes() {
    return windowBytes;
  }

  /** From its source on. */
  public List<Hop> hops() {
    return hops;
  }

  /** A port on it. */
  public static final class Hop {
    private final PortId port;
    private final double capacityBytesPerSecond;
    private final double promisableBytesPerSecond;
    private final OptionalLong totalWindowBytes;
    private int flowsBefore;
    private long bytesBefore;

    private Hop(DeadlinePort at, GifRow row, GifTable gif) {
      port = at.id;
      capacityBytesPerSecond = at.carriedBytesPerSecond();
      promisableBytesPerSecond = at.promisableBytesPerSecond(0);
      totalWindowBytes =
          at.isCongested()
              ? OptionalLong.of(Math.round(at.totalWindowBytes()))
              : OptionalLong.empty();
      for (int i = 0; i < gif.firstNotPromised() && gif.get(i).comesBefore(row); i++) {
        if (crosses(gif.get(i), at)) {
          flowsBefore++;
          bytesBefore += gif.get(i).remainingBytes();
        }
      }
    }

    private static boolean crosses(GifRow row, DeadlinePort port) {
      for (DeadlinePort each : row.path) {
        if (each == port) {
          return true;
        }
      }
      return false;
    }

    public PortId port() {
      return port;
    }

    /** What it carries of payload, bytes/s. */
    public double capacityBytesPerSecond() {
      return capacityBytesPerSecond;
    }

    /** What of that can be promised, bytes/s. */
    public double promisableBytesPerSecond() {
      return promisableBytesPerSecond;
    }

    /** T_win; empty while no windows are handed out. */
    public OptionalLong totalWindowBytes() {
      return totalWindowBytes;
    }

    /** How many promised flows come before it. */
    public int flowsBefore() {
      return flowsBefore;
    }

    /** What these have left to send, bytes. */
    public long bytesBefore() {
      return bytesBefore;
    }
  }
}

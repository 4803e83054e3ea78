// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.control;

import java.util.Arrays;
import org.sluice.engine.state.EngineState;
import org.sluice.engine.state.PathEvidence;
import org.sluice.engine.state.PathTable;

/**
 * Which part of their packets ports under control mark, from what receivers report of whole paths.
 * A path's packets stay unmarked with the product of its ports' 1 - f, so with g = -ln(1 - f) what
 * is seen of paths are sums of what is searched for: network tomography. The least squares, by
 * packets, are approached by the simultaneous algebraic reconstruction technique (A. H. Andersen,
 * A. C. Kak, Ultrasonic Imaging 6, 1984): in every round each port's g moves by the mean of its
 * paths' residuals, each divided among the ports that can have caused it. Where no path separates
 * two full ports they are taken to mark alike, since both begin at 0. A port that is not full is
 * hardly one of those that mark: its part of a residual is small, and what it got while loads were
 * not known yet fades.
 *
 * <p>Evidence is that of about {@link MarkedPart#WINDOW_NANOS}. All paths that cross a port under
 * control and no other count as one. A round takes {@link #SLICES} ticks, so that no tick evaluates
 * all of the others.
 */
final class MarkTomography {
  private static final int SLICES = 8;

  /** Paths of fewer packets show nothing. */
  private static final double LEAST_PACKETS = 20;

  /** A larger marked part counts as this: its logarithm is noise. */
  private static final double MOST_MARKED = 0.95;

  /** By how much more than a residual g moves; the method converges between 0 and 2. */
  private static final double RELAXATION = 1.5;

  /** A port is full with so much of its capacity in use. */
  private static final double FULL = 0.9;

  /** The part of a residual that goes to a port that is not full, to a full one's 1. */
  private static final double UNLIKELY = 0.05;

  /** What a round leaves of the estimate of a port that is not full. */
  private static final double FADING = 0.9;

  private final EngineState state;
  private int slice;
  private int next;
  private long fadedAt;
  private double keep = 1;

  // By port:
  private double[] known = {};
  private double[] g = {};
  private double[] packets = {};
  private double[] correction = {};

  /** By port: whether any path showed something of it in a round since it came under control. */
  private boolean[] isSeen = {};

  MarkTomography(EngineState state) {
    this.state = state;
  }

  /**
   * The marked part of what crosses a port, [0, 1); {@link MarkedPart#UNKNOWN} without evidence.
   */
  double part(int port) {
    return port < g.length && isSeen[port] ? 1 - Math.exp(-g[port]) : MarkedPart.UNKNOWN;
  }

  /** What is known of a port by itself is not searched for; below 0: nothing is. */
  void setKnown(int port, double part) {
    ensure();
    known[port] = part < 0 ? MarkedPart.UNKNOWN : unmarkedExponent(part);
  }

  /** Forgets a port: its control ends. */
  void forget(int port) {
    ensure();
    known[port] = MarkedPart.UNKNOWN;
    g[port] = 0;
    isSeen[port] = false;
    state.paths.evidence.fadeSole(port, 0);
  }

  /** Evaluates one slice of the paths, every tick. */
  void update(long now) {
    ensure();
    if (slice == 0) {
      begin(now);
    }
    PathEvidence evidence = state.paths.evidence;
    slice++;
    int end = (int) ((long) evidence.size() * slice / SLICES);
    while (next < Math.min(end, evidence.size())) {
      int path = evidence.path(next);
      if (evidence.packets(path) >= LEAST_PACKETS) {
        addResidual(path, evidence.packets(path), evidence.marks(path));
      }
      // Where it is removed another one, not evaluated yet, takes its place.
      next += evidence.fade(path, keep) ? 1 : 0;
    }
    if (slice == SLICES) {
      slice = 0;
      correct();
    }
  }

  private void begin(long now) {
    next = 0;
    keep = Math.exp((fadedAt - now) / MarkedPart.WINDOW_NANOS);
    fadedAt = now;
  }

  private void addResidual(int path, double sent, double marked) {
    PathTable paths = state.paths;
    double residual = unmarkedExponent(marked / sent);
    double unknown = 0;
    int first = paths.firstHop(path);
    int end = first + paths.hopCount(path);
    for (int hop = first; hop < end; hop++) {
      int port = paths.portAt(hop);
      if (state.ports.canMark(port)) {
        residual -= known[port] < 0 ? g[port] : known[port];
        unknown += known[port] < 0 ? likelihood(port) : 0;
      }
    }
    for (int hop = first; hop < end && unknown > 0; hop++) {
      int port = paths.portAt(hop);
      if (state.ports.canMark(port)) {
        packets[port] += sent;
        correction[port] += sent * residual * likelihood(port) / unknown;
      }
    }
  }

  private double likelihood(int port) {
    return isFull(port) ? 1 : UNLIKELY;
  }

  private boolean isFull(int port) {
    return state.ports.loadBitsPerSecond[port] >= FULL * state.ports.capacityBitsPerSecond[port];
  }

  private void correct() {
    PathEvidence evidence = state.paths.evidence;
    for (int port : state.ports.inUse.rows()) {
      double sent = evidence.solePackets(port);
      if (sent >= LEAST_PACKETS) {
        packets[port] += sent;
        correction[port] += sent * (unmarkedExponent(evidence.soleMarks(port) / sent) - g[port]);
      }
      if (sent > 0) {
        evidence.fadeSole(port, keep);
      }
      if (packets[port] > 0) {
        double moved = g[port] + RELAXATION * correction[port] / packets[port];
        g[port] = Math.max(0, isFull(port) ? moved : moved * FADING);
        isSeen[port] = true;
        packets[port] = 0;
        correction[port] = 0;
      }
    }
  }

  private static double unmarkedExponent(double marked) {
    return -Math.log(
        1 - Math.min(marked, MOST_MARKED)); // log1p is no intrinsic, and no part is tiny
  }

  private void ensure() {
    if (g.length < state.ports.size()) {
      int before = g.length;
      int length = state.ports.id.length;
      known = Arrays.copyOf(known, length);
      Arrays.fill(known, before, length, MarkedPart.UNKNOWN);
      g = Arrays.copyOf(g, length);
      packets = Arrays.copyOf(packets, length);
      correction = Arrays.copyOf(correction, length);
      isSeen = Arrays.copyOf(isSeen, length);
    }
  }
}

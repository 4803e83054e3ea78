// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.control;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.sluice.api.PortId;
import org.sluice.engine.state.EngineState;

/**
 * Which ports are under control: from their first marks until {@link #END_NANOS} without any. Under
 * Sluice's law a loaded port is, too, marked or not: at rest its queue is empty because it is under
 * control.
 */
public final class ControlledPorts {
  /** T_o: control ends after so long without marks and, under Sluice's law, without load, ns. */
  static final long END_NANOS = 1_000_000_000L;

  /** With so much of its capacity in use a port is loaded. */
  private static final double LOADED = 0.9;

  /** And it is as long as so much is. */
  private static final double STILL_LOADED = 0.8;

  private static final byte UNKNOWN = 0;
  private static final byte OURS = 1;
  private static final byte OTHERS = 2;
  private static final byte NOBODYS = 3;

  private final EngineState state;
  private final PortAuthority authority;
  private final List<ControlledPort> controlled = new ArrayList<>();
  private ControlledPort[] ofPort = new ControlledPort[256];
  private byte[] owner = new byte[256];
  private long authorityEpoch;

  public ControlledPorts(EngineState state, PortAuthority authority) {
    this.state = state;
    this.authority = authority;
    this.authorityEpoch = authority.epoch();
  }

  public List<ControlledPort> all() {
    return controlled;
  }

  /** The port's control, or null. */
  public ControlledPort find(int port) {
    return port < ofPort.length ? ofPort[port] : null;
  }

  /** To be called in each tick before questions about ports. */
  public void followAuthority() {
    int ports = state.ports.size();
    if (owner.length < ports) {
      owner = Arrays.copyOf(owner, state.ports.id.length);
    }
    if (ofPort.length < ports) {
      ofPort = Arrays.copyOf(ofPort, state.ports.id.length);
    }
    if (authority.epoch() != authorityEpoch) {
      authorityEpoch = authority.epoch();
      Arrays.fill(owner, UNKNOWN);
    }
  }

  /** Whether this node may decide about the port, and enough of it is known. */
  public boolean mayDecide(int port) {
    if (owner[port] == UNKNOWN) {
      PortId id = state.ports.id[port];
      owner[port] = authority.decidesAbout(id) ? OURS : authority.isVacant(id) ? NOBODYS : OTHERS;
    }
    return owner[port] == OURS && state.ports.capacityBitsPerSecond[port] > 0;
  }

  /**
   * A port has got marks: it is under control from now on, if it was not before.
   *
   * @param estimated whether any of them came over an estimated path
   */
  public void marked(int port, boolean estimated, long now) {
    ControlledPort held = find(port);
    ControlledPort control = held == null ? start(port) : held;
    control.markedAt = now;
    control.estimated |= estimated;
  }

  /** Takes loaded ports under control, whether they mark or not. */
  public void takeLoaded(long now) {
    for (int port : state.ports.inUse.rows()) {
      if (find(port) == null && isLoaded(port, LOADED) && mayDecide(port)) {
        start(port).markedAt = now;
      }
    }
  }

  private boolean isLoaded(int port, double part) {
    return state.ports.loadBitsPerSecond[port] >= part * state.ports.capacityBitsPerSecond[port];
  }

  private ControlledPort start(int port) {
    ControlledPort control = new ControlledPort(port);
    ofPort[port] = control;
    controlled.add(control);
    return control;
  }

  /**
   * Why a control must end now; null if it goes on.
   *
   * @param byLoad whether a loaded port stays under control without marks, and one of several equal
   *     ports that are lent: its load is a mean, and one of them may be full
   */
  public EndReason endReason(ControlledPort control, boolean byLoad, long now) {
    if (!mayDecide(control.port)) {
      if (owner[control.port] == NOBODYS) {
        control.markedAt = now;
        return null;
      }
      return owner[control.port] == OURS ? EndReason.PORT_GONE : EndReason.AUTHORITY_LOST;
    }
    if (byLoad && (isLoaded(control.port, STILL_LOADED) || control.loans.areSpread())) {
      control.markedAt = now;
    }
    if (now - control.markedAt < END_NANOS) {
      return null;
    }
    return byLoad ? EndReason.NO_LOAD : EndReason.NO_MARKS;
  }

  /** Ends the control at an index of {@link #all}; the last one takes its place. */
  public void end(int index) {
    ofPort[controlled.get(index).port] = null;
    int last = controlled.size() - 1;
    controlled.set(index, controlled.get(last));
    controlled.remove(last);
  }

  /** Why control of a port ends. */
  public enum EndReason {
    NO_MARKS("no marks for " + END_NANOS / 1_000_000 + " ms"),
    NO_LOAD("neither marks nor much load for " + END_NANOS / 1_000_000 + " ms"),
    PORT_GONE("the port or its capacity is no longer known"),
    AUTHORITY_LOST("another controller node decides about the port now"),
    LAW_CHANGED("the law was changed");

    private final String text;

    EndReason(String text) {
      this.text = text;
    }

    public String text() {
      return text;
    }
  }
}

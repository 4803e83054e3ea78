// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.control;

import org.sluice.api.PortId;
import org.sluice.api.link.ControlledEndpoint;
import org.sluice.api.link.Notice;
import org.sluice.engine.state.EngineState;

/** The notices of a port, one after the other, source by source. */
final class PortNotices implements NoticeDraft {
  private final EngineState state;
  private PortId port;
  private long capacityBitsPerSecond;
  private long periodNanos;
  private PortSources sources;
  private int source;
  private double marks;
  private double packets;

  PortNotices(EngineState state) {
    this.state = state;
  }

  void of(PortId ofPort, long capacity, long nanos, PortSources toSources) {
    port = ofPort;
    capacityBitsPerSecond = capacity;
    periodNanos = nanos;
    sources = toSources;
  }

  /** Sets numbers alone: each reference that an old object takes costs more than all of them. */
  void to(int toSource, double ofMarks, double ofPackets) {
    source = toSource;
    marks = ofMarks;
    packets = ofPackets;
  }

  @Override
  public PortId port() {
    return port;
  }

  @Override
  public Notice toNotice() {
    ControlledEndpoint endpoint = sources.published(source);
    return Notice.of(
        port,
        endpoint.endpoint(),
        marks,
        periodNanos,
        sources.boundBitsPerSecond(state, source),
        capacityBitsPerSecond,
        endpoint.destinations(),
        packets);
  }
}

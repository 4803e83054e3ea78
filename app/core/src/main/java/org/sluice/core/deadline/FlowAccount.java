// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.deadline;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.sluice.api.PortId;
import org.sluice.api.deadline.Admission;
import org.sluice.api.why.FlowPort;
import org.sluice.engine.deadline.AdmissionSnapshot;
import org.sluice.engine.deadline.FlowPath;
import org.sluice.engine.deadline.FlowRecord;

/** What the engine has of a registration at one moment. Put together by the engine's thread. */
public final class FlowAccount {
  private final FlowRecord record;
  private final FlowPath path;
  private final AdmissionSnapshot snapshot;
  private final AdmissionSnapshot.Query question;

  FlowAccount(
      FlowRecord record,
      FlowPath path,
      AdmissionSnapshot snapshot,
      AdmissionSnapshot.Query question) {
    this.record = record;
    this.path = path;
    this.snapshot = snapshot;
    this.question = question;
  }

  /** The window in force, bytes; empty: none, or it has not begun. */
  public OptionalLong windowBytes() {
    return path.windowBytes();
  }

  /**
   * Whether its deadline could be promised beside what others are promised, if that were decided
   * now. Computed here, for it takes long: not on the engine's thread, and once.
   */
  public Admission admission() {
    return snapshot.decide(question, record.deadlineNanos(), false);
  }

  /** A rate of payload as one of whole frames, bit/s. */
  public long frameBitsPerSecond(double payloadBytesPerSecond) {
    return Math.round(PortProfile.frameBitsPerSecond(payloadBytesPerSecond));
  }

  /** The places on its path, from its source on; without names. */
  public List<FlowPort> ports() {
    List<FlowPort> found = new ArrayList<>();
    for (FlowPath.Hop hop : path.hops()) {
      FlowPort.Kind kind = FlowPaths.kindOf(hop.port());
      found.add(
          FlowPort.builder(kind)
              .port(kind == FlowPort.Kind.PORT ? Optional.of(hop.port()) : Optional.<PortId>empty())
              .capacityBitsPerSecond(frameBitsPerSecond(hop.capacityBytesPerSecond()))
              .promisableBitsPerSecond(
                  OptionalLong.of(frameBitsPerSecond(hop.promisableBytesPerSecond())))
              .flowsBefore(OptionalInt.of(hop.flowsBefore()))
              .bytesBefore(OptionalLong.of(hop.bytesBefore()))
              .totalWindowBytes(hop.totalWindowBytes())
              .build());
    }
    return found;
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.deadline;

import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import org.sluice.api.Expectation;
import org.sluice.api.PortId;
import org.sluice.api.deadline.Admission;
import org.sluice.api.deadline.FlowDecision;
import org.sluice.api.deadline.FlowKey;
import org.sluice.api.deadline.FlowStatus;
import org.sluice.engine.deadline.AdmissionSnapshot;

/** Something that the {@link Registrar} has to decide about: a new registration, or another one. */
final class RegistrationRequest {
  static final long NEW = 0;

  /** The registration to change, or {@link #NEW}. */
  final long id;

  /** Null for one that is to be changed. */
  final FlowKey key;

  final OptionalLong sizeBytes;
  final OptionalLong dueInNanos;

  /** Of a new one: until its connection begins. */
  final long beginsInNanos;

  final boolean force;
  final Expectation<FlowStatus> expected;

  /** Who requests it; empty if unknown. */
  final String author;

  final CompletableFuture<FlowDecision> answer = new CompletableFuture<>();

  // When it came, by this node's clock and by the cluster's time of day: from here on the deadline
  // does not move, whatever the time of day
  // does.
  final long arrivedNanos;
  final long arrivedMicros;

  // What the engine's thread has found out about it.
  AdmissionSnapshot.Query question;
  StoredFlow stored;
  long deadlineNanos;
  List<PortId> path;

  // The decision; what is stored has its number and promise from then on.
  Admission admission;

  RegistrationRequest(
      long id,
      FlowKey key,
      OptionalLong sizeBytes,
      OptionalLong dueInNanos,
      long beginsInNanos,
      boolean force,
      Expectation<FlowStatus> expected,
      String author,
      long arrivedNanos,
      long arrivedMicros) {
    this.arrivedNanos = arrivedNanos;
    this.arrivedMicros = arrivedMicros;
    this.id = id;
    this.key = key;
    this.sizeBytes = sizeBytes;
    this.dueInNanos = dueInNanos;
    this.beginsInNanos = beginsInNanos;
    this.force = force;
    this.expected = expected;
    this.author = author;
  }

  boolean isNew() {
    return id == NEW;
  }

  /** Whether the decision is to register it, promised or forced. */
  boolean isGranted() {
    return admission.isAccepted() || force;
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.deadline;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.sluice.api.SluiceException;
import org.sluice.api.deadline.FlowDecision;
import org.sluice.api.deadline.FlowKey;
import org.sluice.api.deadline.FlowStatus;
import org.sluice.engine.deadline.AdmissionSnapshot;

/**
 * Registration requests that are decided about together: what one is promised is gone for those
 * behind it.
 */
final class RegistrationBatch {
  private final AdmissionSnapshot snapshot;
  private final List<RegistrationRequest> open = new ArrayList<>();
  private final List<RegistrationRequest> granted = new ArrayList<>();

  private RegistrationBatch(AdmissionSnapshot snapshot) {
    this.snapshot = snapshot;
  }

  /**
   * Finds out all that the decision needs; requests that cannot be decided about are refused.
   * Engine thread only.
   */
  static RegistrationBatch prepare(
      DeadlineLoop loop, List<RegistrationRequest> requests, long nowNanos) {
    RegistrationBatch batch = new RegistrationBatch(loop.snapshot(requests, nowNanos));
    Set<FlowKey> keys = new HashSet<>();
    RegistrationQuota quota = loop.quota();
    for (RegistrationRequest request : requests) {
      try {
        if (!request.answer.isDone()) {
          loop.prepare(request, batch.snapshot, quota, nowNanos);
          if (request.isNew() && !keys.add(request.key)) {
            throw FlowCheck.claimed(request.key);
          }
          batch.open.add(request);
        }
      } catch (SluiceException e) {
        request.answer.completeExceptionally(e);
      }
    }
    return batch;
  }

  /**
   * Decides, on any thread.
   *
   * @param firstId the first number that no registration has
   * @return the first number that none has after that
   */
  long decide(long firstId) {
    long nextId = firstId;
    for (RegistrationRequest request : open) {
      request.admission = snapshot.decide(request.question, request.deadlineNanos, request.force);
      if (request.isGranted()) {
        long id = request.isNew() ? nextId++ : request.id;
        request.stored = request.stored.decided(id, request.admission.isAccepted());
        granted.add(request);
      }
    }
    return nextId;
  }

  /** Those that were promised or forced. */
  List<RegistrationRequest> granted() {
    return granted;
  }

  /** The registrations of these. */
  List<StoredFlow> stored() {
    return granted.stream().map(request -> request.stored).collect(Collectors.toUnmodifiableList());
  }

  /**
   * Makes true what was granted; what is not possible any longer is refused. Engine thread only.
   *
   * @return those that were made true, in their order
   */
  Map<RegistrationRequest, FlowStatus> make(DeadlineLoop loop, long nowNanos) {
    Map<RegistrationRequest, FlowStatus> made = new LinkedHashMap<>();
    for (RegistrationRequest request : granted) {
      try {
        made.put(request, loop.registrations().make(request, nowNanos));
      } catch (SluiceException e) {
        request.answer.completeExceptionally(e);
      }
    }
    return made;
  }

  /** Answers the requests, and writes the decisions into the journal. */
  void answer(Map<RegistrationRequest, FlowStatus> made, FlowJournal journal) {
    made.forEach(
        (request, flow) -> {
          journal.registered(flow, request.admission, request.isNew(), request.author);
          request.answer.complete(FlowDecision.registered(flow, request.admission));
        });
    open.stream().filter(request -> !request.isGranted()).forEach(r -> refuse(r, journal));
  }

  private static void refuse(RegistrationRequest request, FlowJournal journal) {
    long due = request.deadlineNanos - request.arrivedNanos;
    journal.refused(request.stored, due, request.admission, request.author);
    request.answer.complete(FlowDecision.cannotBeMet(request.admission));
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.sluice.rest;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentSkipListMap;
import org.sluice.api.Expectation;
import org.sluice.api.IpAddress;
import org.sluice.api.SluiceException;
import org.sluice.api.TenantId;
import org.sluice.api.deadline.Admission;
import org.sluice.api.deadline.DeadlineRequest;
import org.sluice.api.deadline.DeadlineSummary;
import org.sluice.api.deadline.FlowAdminService;
import org.sluice.api.deadline.FlowDecision;
import org.sluice.api.deadline.FlowKey;
import org.sluice.api.deadline.FlowState;
import org.sluice.api.deadline.FlowStatus;
import org.sluice.api.deadline.LossCounts;

/** Flows in memory; a test sets the outcome of admission. */
final class FakeFlows implements FlowAdminService {
  static final Instant DEADLINE = Instant.parse("2026-01-01T00:00:00.300Z");

  final Map<Long, FlowStatus> flows = new ConcurrentSkipListMap<>();
  final List<DeadlineRequest> requests = new ArrayList<>();

  /** Run whenever registrations are listed. */
  volatile Runnable beforeListing = () -> {};

  Admission admission = Admission.accepted();
  String lastAuthor = "";

  @Override
  public FlowAdminService by(String author) {
    lastAuthor = author;
    return this;
  }

  @Override
  public FlowDecision register(DeadlineRequest request) throws SluiceException {
    requests.add(request);
    if (request.sizeBytes() == 0) {
      throw SluiceException.invalid("sizeBytes", 0, "A flow has a size", "Give it");
    }
    if (!admission.isAccepted() && !request.force()) {
      return FlowDecision.cannotBeMet(admission);
    }
    FlowStatus flow =
        FlowStatus.builder()
            .id(flows.size() + 1)
            .flow(request.flow())
            .tenant(TenantId.of("red"))
            .sizeBytes(request.sizeBytes())
            .remainingBytes(request.sizeBytes())
            .deadline(DEADLINE)
            .dueInNanos(request.dueInNanos())
            .promised(admission.isAccepted())
            .state(FlowState.WAITING)
            .build();
    flows.put(flow.id(), flow);
    return FlowDecision.registered(flow, admission);
  }

  @Override
  public CompletableFuture<FlowDecision> registerLater(DeadlineRequest request) {
    throw new UnsupportedOperationException();
  }

  @Override
  public FlowDecision change(
      long id,
      OptionalLong sizeBytes,
      OptionalLong dueInNanos,
      boolean force,
      Expectation<FlowStatus> expected)
      throws SluiceException {
    FlowStatus before = existing(id);
    expected.check(Optional.of(before));
    if (!admission.isAccepted() && !force) {
      return FlowDecision.cannotBeMet(admission);
    }
    FlowStatus changed =
        before.toBuilder()
            .sizeBytes(sizeBytes.orElse(before.sizeBytes()))
            .dueInNanos(dueInNanos.orElse(before.dueInNanos()))
            .build();
    flows.put(id, changed);
    return FlowDecision.registered(changed, admission);
  }

  private FlowStatus existing(long id) throws SluiceException {
    if (!flows.containsKey(id)) {
      throw SluiceException.notFound("id", id, "There is no such registration");
    }
    if (flows.get(id).state().isEnded()) {
      throw SluiceException.conflict("id", id, "The registration has ended", "Register another");
    }
    return flows.get(id);
  }

  @Override
  public void remove(long id, Expectation<FlowStatus> expected) throws SluiceException {
    expected.check(Optional.of(existing(id)));
    flows.remove(id);
  }

  /** A registration of a tenant, without a decision. */
  void add(TenantId tenant) {
    long id = 1L + flows.size();
    flows.put(
        id,
        FlowStatus.builder()
            .id(id)
            .flow(
                FlowKey.of(
                    IpAddress.parse("10.0.0.1"),
                    FlowKey.ANY_PORT,
                    IpAddress.parse("10.0.0.2"),
                    FlowKey.ANY_PORT))
            .tenant(tenant)
            .sizeBytes(1000)
            .remainingBytes(1000)
            .deadline(DEADLINE)
            .dueInNanos(300_000_000)
            .promised(true)
            .promiseLost(false)
            .state(FlowState.WAITING)
            .build());
  }

  @Override
  public List<FlowStatus> flows() {
    beforeListing.run();
    return List.copyOf(flows.values());
  }

  @Override
  public Optional<FlowStatus> flow(long id) {
    return Optional.ofNullable(flows.get(id));
  }

  @Override
  public DeadlineSummary deadlines() {
    return DeadlineSummary.of(
        Map.of(TenantId.of("red"), Map.of(FlowState.MET, 3L, FlowState.NEVER_SENT, 1L)),
        List.of(DeadlineSummary.CongestedPort.of(FakeServices.PORT, 14_600)),
        5,
        4,
        LossCounts.of(9, 2, 8, 3));
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.deadline;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.LongSupplier;
import org.sluice.api.Expectation;
import org.sluice.api.SluiceException;
import org.sluice.api.TenantId;
import org.sluice.api.deadline.DeadlineRequest;
import org.sluice.api.deadline.DeadlineSummary;
import org.sluice.api.deadline.FlowAdminService;
import org.sluice.api.deadline.FlowDecision;
import org.sluice.api.deadline.FlowState;
import org.sluice.api.deadline.FlowStatus;
import org.sluice.core.inbox.EngineInbox;
import org.sluice.core.runtime.Execution;
import org.sluice.core.setting.Settings;
import org.sluice.core.spi.StorageUnavailableException;

/** Registers, changes, removes and lists flows with deadlines, for operators and applications. */
public final class FlowManager implements FlowAdminService {
  private static final long DECISION_NANOS = TimeUnit.SECONDS.toNanos(10);
  private static final String NOBODY = "";

  private final Settings settings;
  private final Registrar registrar;
  private final FlowStore store;
  private final EngineInbox inbox;
  private final DeadlineLoop loop;
  private final FlowHistory history;
  private final FlowJournal journal;
  private final Execution execution;
  private final LongSupplier clusterMicros;
  private final FlowListing listing;

  FlowManager(
      Settings settings,
      Registrar registrar,
      FlowStore store,
      EngineInbox inbox,
      DeadlineLoop loop,
      FlowHistory history,
      FlowJournal journal,
      Execution execution,
      LongSupplier clusterMicros) {
    this.settings = settings;
    this.registrar = registrar;
    this.store = store;
    this.inbox = inbox;
    this.loop = loop;
    this.history = history;
    this.journal = journal;
    this.execution = execution;
    this.clusterMicros = clusterMicros;
    listing = new FlowListing(inbox, loop, execution.clock());
  }

  @Override
  public FlowAdminService by(String author) {
    return new AuthoredFlows(this, author);
  }

  @Override
  public FlowDecision register(DeadlineRequest deadline) throws SluiceException {
    return decided(registerLater(deadline));
  }

  @Override
  public CompletableFuture<FlowDecision> registerLater(DeadlineRequest deadline) {
    return registerLater(deadline, NOBODY);
  }

  CompletableFuture<FlowDecision> registerLater(DeadlineRequest deadline, String author) {
    try {
      FlowCheck.size(deadline.sizeBytes());
      FlowCheck.due(deadline.dueInNanos(), settings.parameters());
      FlowCheck.begins(deadline.beginsInNanos(), deadline.dueInNanos());
    } catch (SluiceException e) {
      return CompletableFuture.failedFuture(e);
    }
    RegistrationRequest request =
        new RegistrationRequest(
            RegistrationRequest.NEW,
            deadline.flow(),
            OptionalLong.of(deadline.sizeBytes()),
            OptionalLong.of(deadline.dueInNanos()),
            deadline.beginsInNanos(),
            deadline.force(),
            Expectation.none(),
            author,
            execution.clock().nanoTime(),
            clusterMicros.getAsLong());
    registrar.decide(request);
    return request.answer;
  }

  @Override
  public FlowDecision change(
      long id,
      OptionalLong sizeBytes,
      OptionalLong dueInNanos,
      boolean force,
      Expectation<FlowStatus> expected)
      throws SluiceException {
    return change(id, sizeBytes, dueInNanos, force, expected, NOBODY);
  }

  FlowDecision change(
      long id,
      OptionalLong sizeBytes,
      OptionalLong dueInNanos,
      boolean force,
      Expectation<FlowStatus> expected,
      String author)
      throws SluiceException {
    if (sizeBytes.isPresent()) {
      FlowCheck.size(sizeBytes.getAsLong());
    }
    if (dueInNanos.isPresent()) {
      FlowCheck.due(dueInNanos.getAsLong(), settings.parameters());
    }
    if (id <= 0) {
      throw FlowCheck.unknown(id);
    }
    RegistrationRequest request =
        new RegistrationRequest(
            id,
            null,
            sizeBytes,
            dueInNanos,
            0,
            force,
            expected,
            author,
            execution.clock().nanoTime(),
            clusterMicros.getAsLong());
    registrar.decide(request);
    return decided(request.answer);
  }

  FlowDecision decided(CompletableFuture<FlowDecision> answer) throws SluiceException {
    try {
      return execution.await(answer, DECISION_NANOS);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof SluiceException) {
        throw (SluiceException) e.getCause();
      }
      throw FlowCheck.unavailable("The decision failed: " + e.getCause());
    } catch (TimeoutException e) {
      throw FlowCheck.unavailable(
          "No decision was made in time; the flow may be registered all the same");
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw FlowCheck.unavailable("The controller is stopping");
    }
  }

  @Override
  public void remove(long id, Expectation<FlowStatus> expected) throws SluiceException {
    remove(id, expected, NOBODY);
  }

  void remove(long id, Expectation<FlowStatus> expected, String author) throws SluiceException {
    FlowStatus flow = flow(id).orElseThrow(() -> FlowCheck.unknown(id));
    if (flow.state().isEnded()) {
      throw FlowCheck.ended(id);
    }
    try {
      awaitWritten();
      store.remove(id, expected);
    } catch (StorageUnavailableException e) {
      throw FlowCheck.unavailable("The cluster's store cannot be written: " + e);
    }
    inbox.call(now -> loop.registrations().remove(id, now));
    journal.removed(flow, author);
  }

  private void awaitWritten() throws SluiceException {
    try {
      execution.await(registrar.written(), DECISION_NANOS);
    } catch (ExecutionException | TimeoutException e) {
      throw FlowCheck.unavailable("Registrations are not all written to the cluster's store yet");
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw FlowCheck.unavailable("The controller is stopping");
    }
  }

  @Override
  public List<FlowStatus> flows() throws SluiceException {
    List<FlowStatus> all = new ArrayList<>(listing.flows());
    all.addAll(history.flows(execution.clock().nanoTime()));
    all.sort(Comparator.comparingLong(FlowStatus::id));
    return all;
  }

  @Override
  public Optional<FlowStatus> flow(long id) throws SluiceException {
    return inbox.call(now -> loop.registrations().flow(id, now));
  }

  @Override
  public DeadlineSummary deadlines() throws SluiceException {
    Map<TenantId, Map<FlowState, Long>> counts = history.counts();
    for (FlowStatus flow : listing.flows()) {
      counts
          .computeIfAbsent(flow.tenant(), t -> new EnumMap<>(FlowState.class))
          .merge(flow.state(), 1L, Long::sum);
    }
    return inbox.call(
        now -> {
          SwitchObservations switches = loop.hosts().switches();
          return DeadlineSummary.of(
              counts, loop.congestedPorts(), switches.begun(), switches.ended(), loop.lossCounts());
        });
  }
}

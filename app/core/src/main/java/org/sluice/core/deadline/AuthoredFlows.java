// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.deadline;

import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import org.sluice.api.Expectation;
import org.sluice.api.SluiceException;
import org.sluice.api.deadline.DeadlineRequest;
import org.sluice.api.deadline.DeadlineSummary;
import org.sluice.api.deadline.FlowAdminService;
import org.sluice.api.deadline.FlowDecision;
import org.sluice.api.deadline.FlowStatus;

/** The registrations, for one who changes them. */
final class AuthoredFlows implements FlowAdminService {
  private final FlowManager manager;
  private final String author;

  AuthoredFlows(FlowManager manager, String author) {
    this.manager = manager;
    this.author = author;
  }

  @Override
  public FlowAdminService by(String other) {
    return manager.by(other);
  }

  @Override
  public FlowDecision register(DeadlineRequest request) throws SluiceException {
    return manager.decided(registerLater(request));
  }

  @Override
  public CompletableFuture<FlowDecision> registerLater(DeadlineRequest request) {
    return manager.registerLater(request, author);
  }

  @Override
  public FlowDecision change(
      long id,
      OptionalLong sizeBytes,
      OptionalLong dueInNanos,
      boolean force,
      Expectation<FlowStatus> expected)
      throws SluiceException {
    return manager.change(id, sizeBytes, dueInNanos, force, expected, author);
  }

  @Override
  public void remove(long id, Expectation<FlowStatus> expected) throws SluiceException {
    manager.remove(id, expected, author);
  }

  @Override
  public List<FlowStatus> flows() throws SluiceException {
    return manager.flows();
  }

  @Override
  public Optional<FlowStatus> flow(long id) throws SluiceException {
    return manager.flow(id);
  }

  @Override
  public DeadlineSummary deadlines() throws SluiceException {
    return manager.deadlines();
  }
}

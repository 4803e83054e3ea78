// SPDX-License-Identifier: Apache-2.0
package org.sluice.api.deadline;

import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import org.sluice.api.Expectation;
import org.sluice.api.SluiceException;

/**
 * Registers flows with deadlines. Its calls wait for the decision, but for the one that says so.
 */
public interface FlowAdminService extends FlowService {

  /**
   * The same registrations; what is changed through it is journaled as this one's doing.
   *
   * @param author a user's name, or what else requests it
   */
  FlowAdminService by(String author);

  /**
   * Requests a deadline, and registers the flow if it is promised or forced.
   *
   * @throws SluiceException INVALID if the size or the time is out of range; CONFLICT if the source
   *     is no known endpoint, no way to the destination is known, or the flow is registered
   *     already; UNAVAILABLE if deadlines are switched off or the decision cannot be made now
   */
  FlowDecision register(DeadlineRequest request) throws SluiceException;

  /** As {@link #register}, without waiting: the same exceptions end the future. */
  CompletableFuture<FlowDecision> registerLater(DeadlineRequest request);

  /**
   * Gives a registration another size, another deadline, or both. It stays as it is if that cannot
   * be met and is not forced.
   *
   * @param sizeBytes empty: as before
   * @param dueInNanos from now; empty: as before
   * @throws SluiceException NOT_FOUND if there is none of this id; CONFLICT if it has ended; else
   *     as for {@link #register}
   */
  default FlowDecision change(
      long id, OptionalLong sizeBytes, OptionalLong dueInNanos, boolean force)
      throws SluiceException {
    return change(id, sizeBytes, dueInNanos, force, Expectation.none());
  }

  /**
   * The same, of what is expected: of its size, deadline and promise, as they are stored.
   *
   * @throws SluiceException STALE if it is not
   */
  FlowDecision change(
      long id,
      OptionalLong sizeBytes,
      OptionalLong dueInNanos,
      boolean force,
      Expectation<FlowStatus> expected)
      throws SluiceException;

  /**
   * Takes a registration back; its connection, if any, goes on without a deadline.
   *
   * @throws SluiceException NOT_FOUND if there is none of this id; CONFLICT if it has ended;
   *     UNAVAILABLE if the cluster's store cannot be written
   */
  default void remove(long id) throws SluiceException {
    remove(id, Expectation.none());
  }

  /**
   * The same, of what is expected: of its size, deadline and promise, as they are stored.
   *
   * @throws SluiceException STALE if it is not
   */
  void remove(long id, Expectation<FlowStatus> expected) throws SluiceException;
}

// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.deadline;

import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.ExecutionException;
import org.sluice.api.Expectation;
import org.sluice.api.SluiceException;
import org.sluice.api.deadline.DeadlineRequest;
import org.sluice.api.deadline.FlowDecision;
import org.sluice.api.link.HostHello;
import org.sluice.core.journal.JournalWriter;
import org.sluice.core.runtime.Clock;
import org.sluice.core.setting.Settings;

/**
 * Flows with deadlines where one node decides for itself, as in a simulation: no cluster's store
 * holds registrations, and a single thread calls all of it. Flows are always followed, as by the
 * paper's controller. Promises are not evaluated again when paths change.
 */
public final class SingleNodeDeadlines {
  private final FlowHistory history = new FlowHistory();
  private final FlowJournal journal;
  private final Settings settings;
  private final Clock clock;
  private final DeadlineLoop loop;
  private long nextId = 1;

  public SingleNodeDeadlines(
      DeadlineContext context, Settings settings, JournalWriter journal, Clock clock) {
    this.journal = new FlowJournal(journal, context.endpoints, settings::parameters, clock);
    this.settings = settings;
    this.clock = clock;
    this.loop = new DeadlineLoop(context, settings, history, this.journal);
    this.loop.setAlwaysAtWork();
  }

  /** What is to be given reports, and to be driven. */
  public DeadlineLoop loop() {
    return loop;
  }

  /** A host's agent has opened its session. */
  public void connected(HostHello hello) {
    loop.hosts().connected(hello);
  }

  /**
   * Decides about a request, and registers its flow if the deadline is promised or forced.
   *
   * @throws SluiceException if there is nothing to decide, such as where the flow is registered
   *     already
   */
  public FlowDecision register(DeadlineRequest wanted) throws SluiceException {
    FlowCheck.size(wanted.sizeBytes());
    FlowCheck.due(wanted.dueInNanos(), settings.parameters());
    FlowCheck.begins(wanted.beginsInNanos(), wanted.dueInNanos());
    long nowNanos = clock.nanoTime();
    RegistrationRequest request =
        new RegistrationRequest(
            RegistrationRequest.NEW,
            wanted.flow(),
            OptionalLong.of(wanted.sizeBytes()),
            OptionalLong.of(wanted.dueInNanos()),
            wanted.beginsInNanos(),
            wanted.force(),
            Expectation.none(),
            "",
            nowNanos,
            clock.wallMicros());
    RegistrationBatch batch = RegistrationBatch.prepare(loop, List.of(request), nowNanos);
    nextId = batch.decide(nextId);
    batch.answer(batch.make(loop, nowNanos), journal);
    history.takeEndedBefore(nowNanos); // No store has entries of these.
    try {
      return request.answer.get();
    } catch (ExecutionException e) {
      throw (SluiceException) e.getCause();
    } catch (InterruptedException e) { // It is complete, and nobody waits.
      throw new IllegalStateException(e);
    }
  }
}

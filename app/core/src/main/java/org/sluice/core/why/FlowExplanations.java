// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.why;

import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.sluice.api.JournalEntry;
import org.sluice.api.JournalQuery;
import org.sluice.api.JournalService;
import org.sluice.api.PortService;
import org.sluice.api.PortStatus;
import org.sluice.api.SluiceException;
import org.sluice.api.access.Caller;
import org.sluice.api.deadline.Admission;
import org.sluice.api.deadline.FlowStatus;
import org.sluice.api.why.FlowExplanation;
import org.sluice.api.why.FlowExplanation.Cause;
import org.sluice.api.why.FlowPort;
import org.sluice.core.deadline.DeadlineRunner;
import org.sluice.core.deadline.FlowAccount;
import org.sluice.engine.law.SedAdmission;

/** Puts together what the engine and the journal have about one registration. Thread-safe. */
final class FlowExplanations {
  private static final Set<JournalEntry.Kind> KINDS =
      EnumSet.of(
          JournalEntry.Kind.DEADLINE,
          JournalEntry.Kind.DEADLINE_MISSED,
          JournalEntry.Kind.PROMISE_LOST);

  private static final int MOST_ENTRIES = 5;

  private final Accounts accounts;
  private final PortService ports;
  private final JournalService journal;

  /** Where accounts of registrations come from. */
  interface Accounts {
    Optional<FlowAccount> account(long id) throws SluiceException;
  }

  FlowExplanations(Accounts accounts, PortService ports, JournalService journal) {
    this.accounts = accounts;
    this.ports = ports;
    this.journal = journal;
  }

  FlowExplanation why(FlowStatus flow, Caller caller) throws SluiceException {
    FlowExplanation.Builder builder =
        FlowExplanation.builder(flow).journal(entries(flow, caller)).cause(Cause.ENDED);
    Optional<FlowAccount> account =
        flow.state().isEnded() ? Optional.empty() : accounts.account(flow.id());
    if (account.isPresent()) {
      take(builder, flow, account.get(), caller);
    } else if (!flow.state().isEnded()) {
      builder.cause(flow.dueInNanos() > 0 ? Cause.PATH_UNKNOWN : Cause.LATE);
    }
    return new FlowWording(builder.build()).worded();
  }

  private void take(
      FlowExplanation.Builder builder, FlowStatus flow, FlowAccount account, Caller caller) {
    Admission now = account.admission();
    double seconds = Math.max(flow.dueInNanos(), 1) / (double) TimeUnit.SECONDS.toNanos(1);
    builder
        .cause(cause(flow, now))
        .windowBytes(account.windowBytes())
        .earliestNanos(isKept(flow, now) ? OptionalLong.empty() : now.earliestNanos())
        .neededBitsPerSecond(account.frameBitsPerSecond(flow.remainingBytes() / seconds))
        .ports(
            account.ports().stream()
                .map(this::named)
                .map(caller::seen)
                .collect(Collectors.toList()));
  }

  private static boolean isKept(FlowStatus flow, Admission now) {
    return cause(flow, now) == Cause.ON_COURSE;
  }

  private static Cause cause(FlowStatus flow, Admission now) {
    if (flow.promiseLost()) {
      return Cause.PROMISE_LOST;
    }
    if (!flow.promised()) {
      return Cause.NOT_PROMISED;
    }
    return now.isAccepted() || isWithinReserve(flow, now) ? Cause.ON_COURSE : Cause.LATE;
  }

  /** One that was promised just so has no more space by its first report: ports have some left. */
  private static boolean isWithinReserve(FlowStatus flow, Admission now) {
    return now.earliestNanos().isPresent()
        && SedAdmission.USABLE * now.earliestNanos().getAsLong() <= flow.dueInNanos();
  }

  private FlowPort named(FlowPort hop) {
    return hop.toBuilder()
        .portName(hop.port().flatMap(ports::port).flatMap(PortStatus::name))
        .build();
  }

  private List<JournalEntry> entries(FlowStatus flow, Caller caller) {
    return journal
        .entries(JournalQuery.builder().kinds(KINDS).tenant(Optional.of(flow.tenant())).build())
        .stream()
        .filter(entry -> DeadlineRunner.isAbout(entry, flow.id()))
        .filter(caller::sees)
        .limit(MOST_ENTRIES)
        .collect(Collectors.toList());
  }
}

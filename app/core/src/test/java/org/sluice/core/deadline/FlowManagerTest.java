// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.deadline;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.sluice.core.deadline.DeadlineNetwork.BOTTLENECK;
import static org.sluice.core.deadline.DeadlineNetwork.H1;
import static org.sluice.core.deadline.DeadlineNetwork.IP1;
import static org.sluice.core.deadline.DeadlineNetwork.IP2;
import static org.sluice.core.deadline.DeadlineNetwork.IP5;
import static org.sluice.core.deadline.DeadlineNetwork.MILLI;
import static org.sluice.core.deadline.DeadlineNetwork.RED;
import static org.sluice.core.deadline.DeadlineNetwork.flow;
import static org.sluice.core.deadline.DeadlineNetwork.forced;
import static org.sluice.core.deadline.DeadlineNetwork.request;
import static org.sluice.core.testing.Samples.endpoint;
import static org.sluice.core.testing.Samples.hello;

import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.sluice.api.HostId;
import org.sluice.api.IpAddress;
import org.sluice.api.IpPrefix;
import org.sluice.api.JournalEntry;
import org.sluice.api.Member;
import org.sluice.api.SluiceException;
import org.sluice.api.Tenant;
import org.sluice.api.TenantId;
import org.sluice.api.deadline.DeadlineRequest;
import org.sluice.api.deadline.DeadlineSummary;
import org.sluice.api.deadline.FlowAdminService;
import org.sluice.api.deadline.FlowDecision;
import org.sluice.api.deadline.FlowKey;
import org.sluice.api.deadline.FlowState;
import org.sluice.api.deadline.FlowStatus;
import org.sluice.api.deadline.LossCounts;
import org.sluice.api.link.DownlinkMessage;
import org.sluice.api.link.DownlinkMessage.Kind;
import org.sluice.api.link.FlowAnswer;
import org.sluice.api.link.FlowRequest;
import org.sluice.api.link.FlowUpdate;
import org.sluice.api.link.Loss;
import org.sluice.api.link.LossAnswer;
import org.sluice.api.link.LossReport;
import org.sluice.api.link.Resend;
import org.sluice.api.link.UplinkMessage;
import org.sluice.api.link.WindowGrant;
import org.sluice.core.deadline.FlowStore.VersionedLog;
import org.sluice.core.spi.StorageUnavailableException;

/** Deadlines from the request to the window, on a whole node in virtual time. */
class FlowManagerTest {
  private final DeadlineNetwork deadlines = new DeadlineNetwork();
  private final FlowAdminService flows = deadlines.flows;

  @Test
  void registeredFlowIsMetOnceItIsDelivered() throws Exception {
    assertThat(deadlines.areFlowsReported()).isFalse();
    FlowDecision made = deadlines.register(flow(0), 400_000, 5_000);
    FlowStatus status = made.flow().orElseThrow();
    assertThat(made.admission().isAccepted()).isTrue();
    assertThat(status.state()).isEqualTo(FlowState.WAITING);
    assertThat(status.promised()).isTrue();
    assertThat(status.tenant()).isEqualTo(RED);
    assertThat(status.dueInNanos()).isBetween(4_990 * MILLI, 5_000 * MILLI);
    deadlines.settle();
    assertThat(deadlines.areFlowsReported()).isTrue();

    deadlines.report(flow(40_000), FlowUpdate.State.OPENED, 0);
    deadlines.awaitState(status.id(), FlowState.SENDING);
    deadlines.report(flow(40_000), FlowUpdate.State.ESTABLISHED, 100_000);
    deadlines.settle();
    assertThat(deadlines.status(status.id()).remainingBytes()).isEqualTo(300_000);
    deadlines.report(flow(40_000), FlowUpdate.State.ESTABLISHED, 400_000);
    deadlines.awaitState(status.id(), FlowState.MET);
    assertThat(flows.deadlines().counts().get(RED)).containsEntry(FlowState.MET, 1L);
    deadlines.until(() -> !deadlines.areFlowsReported());
    assertThat(flows.flows()).extracting(FlowStatus::state).containsExactly(FlowState.MET);
  }

  private SluiceException refused(FlowKey flow, long dueMillis) {
    return catchThrowableOfType(
        SluiceException.class, () -> deadlines.register(flow, 1_000, dueMillis));
  }

  @Test
  void registrationsPerTenantAndPerHostAreLimited() throws Exception {
    deadlines.node.set("deadlinesPerTenant", 3, "deadlinesPerHost", 2);
    FlowStatus first = deadlines.register(flow(1), 1_000, 60_000).flow().orElseThrow();
    deadlines.register(flow(2), 1_000, 60_000);

    SluiceException ofHost = refused(flow(3), 60_000);
    assertThat(ofHost.field()).contains("source");
    assertThat(ofHost).hasMessageContaining("host has 2 registrations");
    assertThat(ofHost.remedy()).contains("deadlinesPerHost");
    deadlines.register(FlowKey.of(IP2, 1, IP5, 5001), 1_000, 60_000);
    SluiceException ofTenant = refused(FlowKey.of(IP2, 2, IP5, 5001), 60_000);
    assertThat(ofTenant.field()).contains("tenant");
    assertThat(ofTenant.remedy()).contains("deadlinesPerTenant");

    flows.remove(first.id());
    assertThat(deadlines.register(flow(4), 1_000, 60_000).flow()).isPresent();
  }

  @Test
  void registrationsOfABatchShareTheQuota() {
    deadlines.node.set("deadlinesPerHost", 2);
    List<CompletableFuture<FlowDecision>> answers = new ArrayList<>();
    for (int port = 1; port <= 5; port++) {
      answers.add(flows.registerLater(request(flow(port), 1_000, 60_000)));
    }
    deadlines.until(() -> answers.stream().allMatch(CompletableFuture::isDone));
    assertThat(answers).filteredOn(each -> !each.isCompletedExceptionally()).hasSize(2);
  }

  /** A base window of each, two segments in 2.3 ms, would be four times what the port carries. */
  @Test
  void connectionsThatAreRegisteredTogetherCountWithoutTheirBaseWindows() throws Exception {
    deadlines.register(flow(99), 1_000, 60_000);
    deadlines.settle();
    List<DeadlineRequest> requests = new ArrayList<>();
    for (int port = 1; port <= 20; port++) {
      deadlines.report(flow(port), FlowUpdate.State.OPENED, 0);
      requests.add(forced(flow(port), 60_000, 400));
    }
    deadlines.settle();
    assertThat(deadlines.registerAll(requests)).allMatch(made -> made.admission().isAccepted());
  }

  /**
   * Agents of idle ports report once a second: what comes before that has to fit as well. Two
   * thirds of 6 packets are for windows, half of K, beside 2 that the path holds.
   */
  @Test
  void bufferThatWasReportedBeforeTheFirstRegistrationBoundsWindows() throws Exception {
    deadlines.idleQueue(BOTTLENECK, 6);
    deadlines.settle();
    FlowKey flow = flow(40_000);
    deadlines.begin(flow, 400_000, 5_000);
    deadlines.queueUntil(BOTTLENECK, () -> congestedWindows() > 0);
    assertThat(congestedWindows()).isLessThanOrEqualTo(6 * 1448);
  }

  private long congestedWindows() {
    try {
      return flows.deadlines().congestedPorts().stream()
          .mapToLong(DeadlineSummary.CongestedPort::totalWindowBytes)
          .sum();
    } catch (SluiceException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void deadlineHorizonIsADayUnlessConfigured() throws Exception {
    long day = TimeUnit.DAYS.toMillis(1);
    SluiceException refusal = refused(flow(1), day + 1);
    assertThat(refusal.field()).contains("dueInMillis");
    assertThat(refusal.remedy()).contains("deadlineHorizonMinutes");

    deadlines.node.set("deadlineHorizonMinutes", 2 * 1440);
    assertThat(deadlines.register(flow(1), 1_000, day + 1).flow()).isPresent();
  }

  /** The host of one that is registered has its first window before the SYN. */
  @Test
  void newConnectionGetsAWindowBeforeCongestionOrTheNextPeriod() throws Exception {
    FlowStatus made = deadlines.register(flow(40_000), 400_000, 5_000).flow().orElseThrow();
    deadlines.settle();
    assertThat(deadlines.hasWindow(flow(40_000))).isTrue();
    FlowKey other = flow(40_001);
    deadlines.report(other, FlowUpdate.State.OPENED, 0);
    deadlines.time.advanceMillis(1);
    assertThat(deadlines.hasWindow(other)).isTrue();
    assertThat(flows.deadlines().congestedPorts()).isEmpty();

    deadlines.report(flow(40_000), FlowUpdate.State.CLOSED, 400_000);
    deadlines.awaitState(made.id(), FlowState.MET);
    assertThat(deadlines.isReleased(flow(40_000))).isTrue();
    deadlines.time.advanceMillis(2_000);
    assertThat(deadlines.isReleased(other)).isTrue();
  }

  @Test
  void longQueueLeadsToWindowsThatTheFlowsEndReleases() throws Exception {
    FlowStatus made = deadlines.begin(flow(40_000), 4_000_000, 5_000);
    FlowKey other = flow(40_001);
    deadlines.report(other, FlowUpdate.State.OPENED, 0);
    deadlines.queueUntil(
        BOTTLENECK,
        () ->
            deadlines.hasWindow(other)
                && deadlines.lastGrantOf(other).windowBytes() == 2 * 1448
                && deadlines.lastGrantOf(flow(40_000)).windowBytes() > 5 * 1448);
    assertThat(flows.deadlines().congestedPorts())
        .singleElement()
        .satisfies(port -> assertThat(port.port()).isEqualTo(BOTTLENECK));
    flows.remove(made.id());
    deadlines.awaitState(made.id(), FlowState.REMOVED);
    deadlines.until(() -> deadlines.isReleased(other) && deadlines.isReleased(flow(40_000)));
  }

  private List<Resend> resends(HostId host) {
    return deadlines.node.link.listedTo(host, Kind.RESENDS, DownlinkMessage::resends);
  }

  private List<LossAnswer> lossAnswers(HostId host) {
    return deadlines.node.link.listedTo(host, Kind.LOSS_ANSWERS, DownlinkMessage::lossAnswers);
  }

  private void lose(HostId agent, Loss loss) {
    deadlines.report(
        UplinkMessage.ofLossReport(LossReport.of(agent, deadlines.time.nanoTime(), List.of(loss))));
  }

  @Test
  void packetDroppedByAPortIsRetransmittedOrAnswered() throws Exception {
    deadlines.begin(flow(40_000), 4_000_000, 5_000);
    HostId agent = HostId.of("p1");
    lose(agent, Loss.of(BOTTLENECK, flow(40_000), 1_000, 1448, 9));
    deadlines.settle();
    assertThat(resends(agent)).containsExactly(Resend.of(BOTTLENECK, 9));
    FlowKey other = flow(40_001);
    lose(agent, Loss.of(BOTTLENECK, other, 1_000, 1448, Loss.NOT_KEPT));
    deadlines.settle();
    assertThat(lossAnswers(H1)).containsExactly(LossAnswer.of(other, 1_000, 1448));
  }

  @Test
  void lossReportedWithItsFrameIsRetransmittedByPacketOut() throws Exception {
    deadlines.begin(flow(40_000), 4_000_000, 5_000);
    HostId agent = HostId.of("p1");
    byte[] frame = {1, 2, 3};
    Loss loss = Loss.of(BOTTLENECK, flow(40_000), 1_000, 1448, 9).withFrame(frame);
    lose(agent, loss);
    deadlines.settle();
    assertThat(resends(agent)).isEmpty();
    assertThat(deadlines.node.emitted)
        .singleElement()
        .satisfies(
            emitted -> {
              assertThat(emitted.port).isEqualTo(BOTTLENECK);
              assertThat(emitted.frame).isEqualTo(frame);
            });
    // One that came without its frame is its agent's.
    deadlines.report(flow(40_001), FlowUpdate.State.OPENED, 0);
    lose(agent, Loss.of(BOTTLENECK, flow(40_001), 1_000, 1448, 10));
    deadlines.settle();
    assertThat(resends(agent)).containsExactly(Resend.of(BOTTLENECK, 10));
    assertThat(flows.deadlines().losses()).isEqualTo(LossCounts.of(2, 0, 2, 1));
  }

  @Test
  void lossesAtAPortOfAnotherMasterAreIgnored() throws Exception {
    deadlines.begin(flow(40_000), 4_000_000, 5_000);
    deadlines.network.setMaster("s1", "n2");
    HostId agent = HostId.of("p1");
    lose(agent, Loss.of(BOTTLENECK, flow(40_000), 1_000, 1448, 9));
    lose(agent, Loss.of(BOTTLENECK, flow(40_001), 1_000, 1448, Loss.NOT_KEPT));
    deadlines.time.advanceMillis(1_000);
    assertThat(resends(agent)).isEmpty();
    assertThat(lossAnswers(H1)).isEmpty();
  }

  @Test
  void portOfAnotherMasterIsIgnored() throws Exception {
    deadlines.network.setMaster("s1", "n2");
    FlowStatus made = deadlines.register(flow(40_000), 400_000, 500).flow().orElseThrow();
    deadlines.report(flow(40_000), FlowUpdate.State.OPENED, 0);
    deadlines.queueUntil(BOTTLENECK, () -> deadlines.status(made.id()).state() == FlowState.MISSED);
    assertThat(deadlines.grantsOf(flow(40_000))).isNotEmpty().allMatch(WindowGrant::isReleased);
  }

  @Test
  void windowsAreReleasedWhenMastershipOfThePortIsLost() throws Exception {
    deadlines.begin(flow(40_000), 4_000_000, 60_000);
    deadlines.awaitGrant(flow(40_000));
    deadlines.network.setMaster("s1", "n2");
    deadlines.settle();
    assertThat(deadlines.isReleased(flow(40_000))).isTrue();
  }

  @Test
  void infeasibleDeadlineIsRejectedWithTheEarliestOneUnlessForced() throws Exception {
    FlowDecision refused = deadlines.register(flow(1), 4_000_000, 300);
    assertThat(refused.flow()).isEmpty();
    long earliest = refused.admission().earliestNanos().getAsLong();
    assertThat(earliest).isBetween(650 * MILLI, 900 * MILLI);
    assertThat(flows.flows()).isEmpty();
    FlowStatus made = flows.register(forced(flow(1), 4_000_000, 300)).flow().orElseThrow();
    assertThat(made.promised()).isFalse();
    FlowDecision then =
        flows.register(DeadlineRequest.of(flow(2), 4_000_000, earliest + 50 * MILLI, false));
    assertThat(then.admission().isAccepted()).isTrue();
  }

  @Test
  void registrationIsChangedIfTheNewDeadlineIsFeasible() throws Exception {
    FlowStatus made = deadlines.register(flow(1), 400_000, 2_000).flow().orElseThrow();
    FlowDecision smaller =
        flows.change(made.id(), OptionalLong.of(300_000), OptionalLong.empty(), false);
    FlowStatus changed = smaller.flow().orElseThrow();
    assertThat(changed.sizeBytes()).isEqualTo(300_000);
    assertThat(changed.deadline()).isEqualTo(made.deadline());
    FlowDecision sooner =
        flows.change(made.id(), OptionalLong.empty(), OptionalLong.of(30 * MILLI), false);
    assertThat(sooner.flow()).isEmpty();
    assertThat(deadlines.status(made.id()).deadline()).isEqualTo(made.deadline());
    assertThat(deadlines.status(made.id()).promised()).isTrue();
    assertThatThrownBy(() -> flows.change(77, OptionalLong.of(1), OptionalLong.empty(), false))
        .isInstanceOfSatisfying(
            SluiceException.class,
            e -> assertThat(e.kind()).isEqualTo(SluiceException.Kind.NOT_FOUND));
  }

  /** 50 Mbit/s are 6 MB/s: 1.2 MB take 210 ms. */
  @Test
  void laterBeginLeavesLessTimeForAdmission() throws Exception {
    DeadlineRequest wanted = request(flow(1), 1_200_000, 350);
    assertThat(flows.register(wanted.beginningIn(200 * MILLI)).flow()).isEmpty();
    assertThat(flows.register(wanted.beginningIn(50 * MILLI)).flow()).isPresent();
  }

  @Test
  void invalidRequestIsRejectedWithItsField() {
    refused("sizeBytes", () -> deadlines.register(flow(1), 0, 300));
    refused("dueInMillis", () -> deadlines.register(flow(1), 1, 0));
    DeadlineRequest wanted = request(flow(1), 1, 300);
    refused("beginsInMillis", () -> flows.register(wanted.beginningIn(-1)));
    refused("beginsInMillis", () -> flows.register(wanted.beginningIn(wanted.dueInNanos())));
    refused(
        "source",
        () -> deadlines.register(FlowKey.of(IpAddress.parse("10.9.9.9"), 0, IP5, 0), 1000, 300));
    refused(
        "destination",
        () -> deadlines.register(FlowKey.of(IP1, 0, IpAddress.parse("10.9.9.9"), 0), 1000, 300));
  }

  private static void refused(String field, ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(SluiceException.class, e -> assertThat(e.field()).contains(field));
  }

  private static void unavailable(ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            SluiceException.class,
            e -> assertThat(e.kind()).isEqualTo(SluiceException.Kind.UNAVAILABLE));
  }

  @Test
  void sameFlowCannotBeRegisteredTwice() throws Exception {
    deadlines.register(flow(40_000), 400_000, 2_000);
    refused("source", () -> deadlines.register(flow(40_000), 1000, 2_000));
    deadlines.report(flow(40_000), FlowUpdate.State.OPENED, 0);
    refused("source", () -> deadlines.register(flow(40_000), 1000, 2_000));
  }

  @Test
  void flowThatNeverSendsExpiresAtItsDeadline() throws Exception {
    FlowStatus made = deadlines.register(flow(40_000), 1_000, 150).flow().orElseThrow();
    deadlines.time.advanceMillis(140);
    assertThat(deadlines.status(made.id()).state()).isEqualTo(FlowState.WAITING);
    deadlines.time.advanceMillis(20);
    assertThat(deadlines.status(made.id()).state()).isEqualTo(FlowState.NEVER_SENT);
    refused("id", () -> flows.remove(made.id()));
  }

  /** With such a period nobody gives a flow up for two seconds after its deadline. */
  private FlowStatus beginAndLetItsDeadlinePass(FlowKey key) throws SluiceException {
    deadlines.node.set("controlPeriodMillis", "1000");
    FlowStatus made = flows.register(forced(key, 10_000, 200)).flow().orElseThrow();
    deadlines.report(key, FlowUpdate.State.OPENED, 0);
    deadlines.time.advanceMillis(200);
    assertThat(deadlines.status(made.id()).dueInNanos()).isNegative();
    return made;
  }

  @Test
  void flowDeliveredInTimeIsMetEvenIfReportedAfterItsDeadline() throws Exception {
    FlowStatus made = beginAndLetItsDeadlinePass(flow(40_000));
    assertThat(deadlines.status(made.id()).state()).isEqualTo(FlowState.SENDING);
    assertThat(flows.deadlines().counts().get(RED)).containsEntry(FlowState.SENDING, 1L);
    deadlines.report(
        false,
        FlowUpdate.of(flow(40_000), FlowUpdate.State.ESTABLISHED, 10_000, 400_000, false)
            .progressedBefore(5_000 * MILLI));
    deadlines.awaitState(made.id(), FlowState.MET);
    assertThat(deadlines.status(made.id()).remainingBytes()).isZero();
  }

  @Test
  void flowPastItsDeadlineCanBeWithdrawnButNotChanged() throws Exception {
    FlowStatus made = beginAndLetItsDeadlinePass(flow(40_000));
    OptionalLong later = OptionalLong.of(5_000 * MILLI);
    refused("id", () -> flows.change(made.id(), OptionalLong.empty(), later, true));
    flows.remove(made.id());
    deadlines.awaitState(made.id(), FlowState.REMOVED);
  }

  @Test
  void flowThatSendsTwiceItsSizeIsMetAndContinues() throws Exception {
    FlowStatus made = deadlines.register(flow(40_000), 100_000, 3_000).flow().orElseThrow();
    deadlines.report(flow(40_000), FlowUpdate.State.OPENED, 0);
    deadlines.report(flow(40_000), FlowUpdate.State.ESTABLISHED, 200_000);
    deadlines.awaitState(made.id(), FlowState.MET);
    deadlines.report(flow(40_000), FlowUpdate.State.CLOSED, 200_000);
    deadlines.settle();
    assertThat(deadlines.status(made.id()).state()).isEqualTo(FlowState.MET);
  }

  /** It began 100 ms before it was registered: its host's first report names it. */
  @Test
  void bytesSentBeforeRegistrationCount() throws Exception {
    FlowStatus made = deadlines.register(flow(40_000), 1_000_000, 3_000).flow().orElseThrow();
    deadlines.report(
        true, FlowUpdate.of(flow(40_000), FlowUpdate.State.ESTABLISHED, 600_000, 400_000, true));
    deadlines.settle();
    assertThat(deadlines.status(made.id()).remainingBytes()).isEqualTo(400_000);
    // And one that is known already when it is registered, since another has a deadline.
    FlowKey second = flow(40_001);
    deadlines.report(second, FlowUpdate.State.OPENED, 0);
    deadlines.report(second, FlowUpdate.State.ESTABLISHED, 300_000);
    deadlines.settle();
    FlowStatus late = deadlines.register(second, 500_000, 3_000).flow().orElseThrow();
    assertThat(late.state()).isEqualTo(FlowState.SENDING);
    assertThat(late.remainingBytes()).isEqualTo(200_000);
  }

  @Test
  void flowMissingFromACompleteReportHasEnded() throws Exception {
    FlowStatus made = deadlines.begin(flow(40_000), 1_000_000, 5_000);
    deadlines.report(true);
    deadlines.awaitState(made.id(), FlowState.CLOSED_EARLY);
  }

  /** What is registered keeps its promise until it is due. */
  @Test
  void unregisteredFlowsOfAHostExpireAfterALease() throws Exception {
    FlowStatus made = deadlines.begin(flow(40_000), 1_000_000, 20_000);
    FlowKey other = flow(40_001);
    deadlines.report(other, FlowUpdate.State.OPENED, 0);
    deadlines.queueUntil(
        BOTTLENECK, () -> deadlines.hasWindow(other) && deadlines.hasWindow(flow(40_000)));
    deadlines.node.link.disconnect(H1);
    deadlines.time.advanceMillis(4_990);
    assertThat(deadlines.isReleased(other)).isFalse();
    deadlines.time.advanceMillis(20);
    assertThat(deadlines.isReleased(other)).isTrue();
    assertThat(deadlines.isReleased(flow(40_000))).isFalse();
    assertThat(deadlines.status(made.id()).state()).isEqualTo(FlowState.SENDING);
    deadlines.awaitState(made.id(), FlowState.MISSED);
  }

  @Test
  void flowShorterThanAReportIntervalIsCounted() throws Exception {
    FlowStatus made = deadlines.register(flow(0), 10_000, 5_000).flow().orElseThrow();
    deadlines.report(flow(40_000), FlowUpdate.State.CLOSED, 10_000);
    deadlines.awaitState(made.id(), FlowState.MET);
  }

  @Test
  void startingNodeTakesOverStoredRegistrations() throws Exception {
    FlowStatus made = deadlines.register(flow(40_000), 100_000, 60_000).flow().orElseThrow();
    deadlines.stop(deadlines.node);
    FlowStore store = deadlines.store();
    assertThat(store.flows()).extracting(StoredFlow::id).containsExactly(made.id());
    assertThat(store.registrationLog().value().flows()).isEmpty();
    assertThat(store.registrationLog().value().nextId()).isEqualTo(made.id() + 1);
  }

  /** It decides at the very moment at which this node has settled a decision of its own. */
  @Test
  void capacityAdmittedByAnotherNodeIsNotAdmittedAgain() throws Exception {
    FlowStore elsewhere = deadlines.store();
    deadlines.network.storage.afterNextReplace(
        () -> {
          VersionedLog registrations = elsewhere.registrationLog();
          assertThat(registrations.value().flows()).isEmpty();
          long id = registrations.value().nextId();
          long due = deadlines.time.wallMicros() + 900_000;
          StoredFlow other = StoredFlow.of(id, flow(77), RED, 4_000_000, due, 0, true);
          RegistrationLog decided = registrations.value().next(id + 1, List.of(other));
          assertThat(elsewhere.replace(registrations, decided)).isTrue();
        });
    deadlines.register(flow(1), 1_000, 60_000);
    assertThat(deadlines.register(flow(2), 4_000_000, 1_000).flow()).isEmpty();
    assertThat(flows.flows()).extracting(FlowStatus::flow).contains(flow(77));
  }

  @Test
  void withdrawalReleasesAllWindows() throws Exception {
    deadlines.begin(flow(40_000), 4_000_000, 60_000);
    deadlines.awaitGrant(flow(40_000));
    deadlines.node.settings.withdraw();
    assertThat(deadlines.lastGrantOf(flow(40_000)).isReleased()).isTrue();
    assertThat(deadlines.storedFlows()).isEmpty();
  }

  @Test
  void disabledDeadlinesAreRejected() throws Exception {
    FlowStatus made = deadlines.register(flow(40_000), 4_000_000, 60_000).flow().orElseThrow();
    deadlines.settle();
    assertThat(deadlines.areFlowsReported()).isTrue();
    deadlines.node.set("deadlines", "off");
    deadlines.settle();
    assertThat(deadlines.areFlowsReported()).isFalse();
    unavailable(() -> deadlines.register(flow(40_001), 1_000, 60_000));
    deadlines.node.set("deadlines", "across");
    deadlines.settle();
    assertThat(deadlines.areFlowsReported()).isTrue();
    assertThat(deadlines.status(made.id()).promised()).isTrue();
  }

  @Test
  void registrationFailsWhileTheStoreIsReadOnly() throws Exception {
    FlowStatus made = deadlines.register(flow(1), 1_000, 60_000).flow().orElseThrow();
    deadlines.network.storage.setAvailable(false);
    unavailable(() -> deadlines.register(flow(2), 1_000, 60_000));
    unavailable(() -> flows.remove(made.id()));
    assertThat(flows.flows()).extracting(FlowStatus::id).containsExactly(made.id());

    deadlines.network.storage.setAvailable(true);
    FlowStatus next = deadlines.register(flow(2), 1_000, 60_000).flow().orElseThrow();
    assertThat(next.id()).isEqualTo(made.id() + 1);
    flows.remove(made.id());
    assertThat(deadlines.storedFlows()).extracting(StoredFlow::id).containsExactly(next.id());
  }

  /** What is decided is registered; that the store fails afterwards is no reason to deny it. */
  @Test
  void whatIsDecidedIsNotDeniedAndIsWrittenLater() throws Exception {
    FlowStatus first = deadlines.register(flow(1), 1_000, 60_000).flow().orElseThrow();
    deadlines.network.storage.afterNextReplace(() -> deadlines.network.storage.setAvailable(false));
    FlowStatus made = deadlines.register(flow(2), 1_000, 60_000).flow().orElseThrow();
    assertThat(deadlines.status(made.id()).promised()).isTrue();
    unavailable(() -> flows.remove(made.id()));

    deadlines.network.storage.setAvailable(true);
    assertThat(deadlines.storedFlows()).extracting(StoredFlow::id).containsExactly(first.id());
    deadlines.time.advanceMillis(200);
    assertThat(deadlines.storedFlows())
        .extracting(StoredFlow::id)
        .containsExactlyInAnyOrder(first.id(), made.id());
    flows.remove(made.id());
    assertThat(deadlines.storedFlows()).extracting(StoredFlow::id).containsExactly(first.id());
  }

  @Test
  void aChangeThatIsDecidedIsWrittenLater() throws Exception {
    FlowStatus made = deadlines.register(flow(1), 1_000, 60_000).flow().orElseThrow();
    deadlines.network.storage.afterNextReplace(() -> deadlines.network.storage.setAvailable(false));
    flows.change(made.id(), OptionalLong.of(5_000), OptionalLong.empty(), false);
    deadlines.network.storage.setAvailable(true);
    deadlines.time.advanceMillis(200);
    assertThat(deadlines.storedFlows()).extracting(StoredFlow::sizeBytes).containsExactly(5_000L);
  }

  /** The store says that it failed, and has it. */
  @Test
  void aDecisionThatTheStoreHasAfterAllIsMade() throws Exception {
    deadlines.register(flow(1), 1_000, 60_000);
    deadlines.network.storage.afterNextReplace(
        () -> {
          throw new StorageUnavailableException(new IllegalStateException("timeout"));
        });
    FlowStatus made = deadlines.register(flow(2), 1_000, 60_000).flow().orElseThrow();
    assertThat(deadlines.storedFlows()).extracting(StoredFlow::id).contains(made.id());
  }

  /** The same, and another node has decided in between: it has completed what it found. */
  @Test
  void aDecisionThatAnotherNodeHasBuiltOnIsMade() throws Exception {
    deadlines.register(flow(1), 1_000, 60_000);
    deadlines.network.storage.afterNextReplace(
        () -> {
          FlowStore elsewhere = deadlines.store();
          FlowStore.VersionedLog found = elsewhere.registrationLog();
          elsewhere.complete(found.value().flows());
          elsewhere.replace(found, found.value().next(found.value().nextId(), List.of()));
          throw new StorageUnavailableException(new IllegalStateException("timeout"));
        });
    FlowStatus made = deadlines.register(flow(2), 1_000, 60_000).flow().orElseThrow();
    assertThat(flows.flows()).extracting(FlowStatus::id).containsExactly(1L, made.id());
  }

  /** Of two nodes that decide at once, one may complete what the other has just decided. */
  @Test
  void whatAnotherNodeHasWrittenBeforeIsRegisteredAllTheSame() throws Exception {
    deadlines.register(flow(1), 1_000, 60_000);
    deadlines.network.storage.afterNextReplace(
        () -> {
          FlowStore elsewhere = deadlines.store();
          elsewhere.complete(elsewhere.registrationLog().value().flows());
        });
    FlowStatus made = deadlines.register(flow(2), 1_000, 60_000).flow().orElseThrow();
    assertThat(flows.flows()).extracting(FlowStatus::id).containsExactly(1L, made.id());
  }

  /** Nothing is sent of it: others may have what it holds. */
  @Test
  void aPromiseThatIsNotUsedIsRevoked() throws Exception {
    long day = 86_400_000;
    FlowStatus hoarded =
        deadlines.register(flow(1), 300_000_000_000L, day - 1).flow().orElseThrow();
    FlowStatus used = deadlines.begin(flow(40_000), 10_000_000, 3_600_000);
    assertThat(deadlines.register(flow(2), 200_000_000_000L, day - 1).flow()).isEmpty();
    for (int second = 0; second < 7; second++) {
      deadlines.report(flow(40_000), FlowUpdate.State.ESTABLISHED, 1_000L * (second + 1));
      deadlines.time.advanceMillis(1_000);
    }
    assertThat(deadlines.status(hoarded.id()).promised()).isFalse();
    assertThat(deadlines.status(hoarded.id()).promiseLost()).isTrue();
    assertThat(deadlines.status(used.id()).promised()).isTrue();
    assertThat(deadlines.journal(JournalEntry.Kind.PROMISE_LOST))
        .anyMatch(entry -> entry.evidence().startsWith("nothing of it has arrived for 5 s"));
    assertThat(deadlines.register(flow(2), 200_000_000_000L, day - 8_000).flow()).isPresent();
  }

  /** What an application registers for later is its own until then. */
  @Test
  void aPromiseIsKeptUntilItsConnectionIsToBegin() throws Exception {
    FlowStatus later =
        flows
            .register(
                DeadlineRequest.of(flow(1), 1_000, 60_000 * MILLI, false)
                    .beginningIn(30_000 * MILLI))
            .flow()
            .orElseThrow();
    deadlines.time.advanceMillis(20_000);
    assertThat(deadlines.status(later.id()).promised()).isTrue();
  }

  @Test
  void aPromiseThatStandsStillIsRevoked() throws Exception {
    FlowStatus made = deadlines.begin(flow(40_000), 4_000_000, 60_000);
    deadlines.report(flow(40_000), FlowUpdate.State.ESTABLISHED, 1_000);
    deadlines.time.advanceMillis(7_000);
    assertThat(deadlines.status(made.id()).promised()).isFalse();
  }

  @Test
  void aPromiseWhoseHostIsAwayIsKept() throws Exception {
    FlowStatus made = deadlines.register(flow(1), 1_000, 60_000).flow().orElseThrow();
    deadlines.node.link.disconnect(H1);
    deadlines.time.advanceMillis(7_000);
    assertThat(deadlines.status(made.id()).promised()).isTrue();
  }

  /** Ten registrations of one tenant leave another one what its weight is due. */
  @Test
  void promisesOfOneTenantLeaveTheOthersTheirParts() throws Exception {
    deadlines.network.setTenants(tenant("red", 1, "10.0.0.1/32"), tenant("blue", 3, "10.0.0.0/24"));
    deadlines.settle();
    // 50 Mbit/s carry 62 MB in ten seconds; of 312 MB after that at most a quarter is red's.
    assertThat(deadlines.register(flow(1), 141_000_000, 60_000).flow()).isEmpty();
    FlowDecision small = deadlines.register(flow(1), 110_000_000, 60_000);
    assertThat(small.flow()).isPresent();
    FlowDecision more = deadlines.register(flow(2), 70_000_000, 60_000);
    assertThat(more.flow()).isEmpty();
    assertThat(more.admission().earliestNanos().orElseThrow()).isGreaterThan(90_000 * MILLI);

    FlowKey blue = FlowKey.of(DeadlineNetwork.IP2, 1, DeadlineNetwork.IP5, 5001);
    assertThat(deadlines.register(blue, 200_000_000, 60_000).flow()).isPresent();
  }

  /** However small its part. */
  @Test
  void shortDeadlinesDoNotDependOnATenantsPart() throws Exception {
    deadlines.network.setTenants(
        tenant("red", 1, "10.0.0.1/32"), tenant("blue", 99, "10.0.0.0/24"));
    deadlines.settle();
    assertThat(deadlines.register(flow(1), 8_000_000, 2_000).flow()).isPresent();
    FlowKey blue = FlowKey.of(DeadlineNetwork.IP2, 1, DeadlineNetwork.IP5, 5001);
    assertThat(deadlines.register(blue, 4_000_000, 2_000).flow()).isEmpty();
    assertThat(deadlines.register(blue, 200_000_000, 60_000).flow()).isPresent();
  }

  @Test
  void guaranteesComeBeforeWeights() throws Exception {
    Tenant red =
        tenant("red", 1, "10.0.0.1/32").toBuilder().guaranteeBitsPerSecond(25_000_000).build();
    deadlines.network.setTenants(red, tenant("blue", 999, "10.0.0.0/24"));
    deadlines.settle();
    assertThat(deadlines.register(flow(1), 150_000_000, 60_000).flow()).isPresent();
    assertThat(deadlines.register(flow(2), 60_000_000, 60_000).flow()).isEmpty();
  }

  /** It would hold the next seconds for ever, one registration after the other. */
  @Test
  void whoDoesNotUseWhatIsSoonGetsItsPartAloneNextTime() throws Exception {
    deadlines.network.setTenants(tenant("red", 1, "10.0.0.1/32"), tenant("blue", 3, "10.0.0.0/24"));
    deadlines.settle();
    FlowStatus hoarded = deadlines.register(flow(1), 45_000_000, 9_000).flow().orElseThrow();
    flows.remove(hoarded.id());
    assertThat(deadlines.register(flow(2), 45_000_000, 9_000).flow()).isEmpty();
    FlowKey blue = FlowKey.of(DeadlineNetwork.IP2, 1, DeadlineNetwork.IP5, 5001);
    FlowStatus others = deadlines.register(blue, 30_000_000, 9_000).flow().orElseThrow();
    flows.remove(others.id());
    deadlines.time.advanceMillis(600_000);
    assertThat(deadlines.register(flow(2), 45_000_000, 9_000).flow()).isPresent();
  }

  @Test
  void promisesThatAreRevokedAsUnusedCountAgainstTheirTenant() throws Exception {
    deadlines.network.setTenants(tenant("red", 1, "10.0.0.1/32"), tenant("blue", 3, "10.0.0.0/24"));
    deadlines.settle();
    deadlines.register(flow(1), 45_000_000, 9_000);
    deadlines.time.advanceMillis(7_000);
    assertThat(deadlines.register(flow(2), 45_000_000, 9_000).flow()).isEmpty();
    FlowKey blue = FlowKey.of(DeadlineNetwork.IP2, 1, DeadlineNetwork.IP5, 5001);
    assertThat(deadlines.register(blue, 45_000_000, 9_000).flow()).isPresent();
  }

  /** As if it were withdrawn and registered anew. */
  @ParameterizedTest
  @CsvSource({
    "1000, , false", // less than was promised
    ", 60000, false", // later
    ", 1, true", // not promised any more
  })
  void whatAChangeGivesUpOfAPromiseCountsAgainstItsTenant(
      Long sizeBytes, Long dueMillis, boolean force) throws Exception {
    deadlines.network.setTenants(tenant("red", 1, "10.0.0.1/32"), tenant("blue", 3, "10.0.0.0/24"));
    deadlines.settle();
    FlowStatus hoarded = deadlines.register(flow(1), 45_000_000, 9_000).flow().orElseThrow();
    FlowDecision changed =
        flows.change(
            hoarded.id(),
            sizeBytes == null ? OptionalLong.empty() : OptionalLong.of(sizeBytes),
            dueMillis == null ? OptionalLong.empty() : OptionalLong.of(dueMillis * MILLI),
            force);
    assertThat(changed.flow()).isPresent();
    assertThat(deadlines.register(flow(2), 45_000_000, 9_000).flow()).isEmpty();
    FlowKey blue = FlowKey.of(DeadlineNetwork.IP2, 1, DeadlineNetwork.IP5, 5001);
    assertThat(deadlines.register(blue, 30_000_000, 9_000).flow()).isPresent();
  }

  /** A host says of nobody's addresses that they are of many tenants. */
  @Test
  void tenantsOfUnseenEndpointsHaveNoPart() throws Exception {
    deadlines.network.setTenants(
        tenant("red", 1, "10.0.0.0/24"), tenant("ghost", 9, "10.9.0.0/16"));
    deadlines.node.link.connect(
        hello("liar", endpoint("liar/vm0", "02:00:00:00:66:01", "10.9.0.1")));
    deadlines.settle();
    assertThat(deadlines.register(flow(1), 250_000_000, 60_000).flow()).isPresent();
  }

  private static Tenant tenant(String name, double weight, String prefix) throws SluiceException {
    return Tenant.builder(TenantId.of(name))
        .weight(weight)
        .members(List.of(Member.ofPrefix(IpPrefix.parse(prefix))))
        .build();
  }

  @Test
  void applicationRequestsMayConcernOnlyEndpointsOfTheirHost() throws Exception {
    DeadlineRequest wanted = request(flow(40_000), 100_000, 3_000);
    send(FlowRequest.register(H1, 1, wanted));
    FlowAnswer registered = answer(H1, 1);
    assertThat(registered.body().registered().promised()).isTrue();
    long id = registered.body().registered().id();

    send(FlowRequest.list(H1, 2));
    assertThat(answer(H1, 2).body().flows()).extracting(FlowStatus::id).containsExactly(id);
    HostId h2 = HostId.of("h2");
    send(FlowRequest.list(h2, 3));
    assertThat(answer(h2, 3).body().flows()).isEmpty();
    send(FlowRequest.remove(h2, 4, id));
    assertThat(answer(h2, 4).body().removed()).isFalse();
    send(FlowRequest.register(h2, 5, wanted));
    assertThat(answer(h2, 5).body().refused().field()).isEqualTo("source");
    FlowKey second = FlowKey.of(IP2, 1, IP5, 2);
    send(FlowRequest.register(h2, 6, request(second, 4_000_000, 100)));
    assertThat(answer(h2, 6).body().cannotBeMet()).isPresent();
    send(FlowRequest.register(h2, 7, request(second, 0, 100)));
    assertThat(answer(h2, 7).body().refused().field()).isEqualTo("sizeBytes");
    send(FlowRequest.remove(H1, 8, id));
    assertThat(answer(H1, 8).body().removed()).isTrue();

    deadlines.lead("elsewhere");
    send(FlowRequest.list(H1, 9));
    deadlines.lead("n1");
    send(FlowRequest.list(H1, 10));
    answer(H1, 10);
    assertThat(answers(H1)).noneMatch(answer -> answer.request() == 9);
  }

  private void send(FlowRequest request) {
    deadlines.report(UplinkMessage.ofFlowRequest(request));
    deadlines.settle();
  }

  private List<FlowAnswer> answers(HostId host) {
    return deadlines.node.link.sentTo(host, Kind.FLOW_ANSWER, DownlinkMessage::flowAnswer);
  }

  private FlowAnswer answer(HostId host, long request) {
    return answers(host).stream()
        .filter(answer -> answer.request() == request)
        .findFirst()
        .orElseThrow();
  }
}

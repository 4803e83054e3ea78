// SPDX-License-Identifier: Apache-2.0
package org.sluice.onos.deadline;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.sluice.onos.deadline.DeadlineWorld.BOTTLENECK;
import static org.sluice.onos.deadline.DeadlineWorld.H1;
import static org.sluice.onos.deadline.DeadlineWorld.IP2;
import static org.sluice.onos.deadline.DeadlineWorld.IP5;
import static org.sluice.onos.deadline.DeadlineWorld.MILLI;
import static org.sluice.onos.deadline.DeadlineWorld.flow;
import static org.sluice.onos.deadline.DeadlineWorld.report;
import static org.sluice.onos.testing.Waiting.until;

import java.util.List;
import java.util.OptionalLong;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.onosproject.store.service.Versioned;
import org.sluice.api.HostId;
import org.sluice.api.IpAddress;
import org.sluice.api.SluiceException;
import org.sluice.api.TenantId;
import org.sluice.api.deadline.FlowDecision;
import org.sluice.api.deadline.FlowKey;
import org.sluice.api.deadline.FlowState;
import org.sluice.api.deadline.FlowStatus;
import org.sluice.api.deadline.FlowWish;
import org.sluice.api.link.DownlinkMessage;
import org.sluice.api.link.DownlinkMessage.Kind;
import org.sluice.api.link.FlowAnswer;
import org.sluice.api.link.FlowNews;
import org.sluice.api.link.FlowRequest;
import org.sluice.api.link.Loss;
import org.sluice.api.link.LossAnswer;
import org.sluice.api.link.LossReport;
import org.sluice.api.link.Resend;
import org.sluice.api.link.WindowGrant;

/** Deadlines from the wish to the window, over ONOS's real managers. */
@Timeout(120)
class FlowManagerTest {
  private final DeadlineWorld world = new DeadlineWorld();
  private final FlowManager flows = world.flows;

  @AfterEach
  void close() {
    world.close();
  }

  @Test
  void aFlowIsRegisteredFollowedAndMet() throws Exception {
    assertThat(flows.isWanted()).isFalse();
    FlowDecision made = world.register(flow(0), 400_000, 5_000);
    FlowStatus status = made.flow().orElseThrow();
    assertThat(made.admission().isAccepted()).isTrue();
    assertThat(status.state()).isEqualTo(FlowState.WAITING);
    assertThat(status.promised()).isTrue();
    assertThat(status.tenant()).isEqualTo(TenantId.of("red"));
    assertThat(status.dueInNanos()).isBetween(3_000 * MILLI, 5_000 * MILLI);
    until(() -> assertThat(flows.isWanted()).isTrue());

    world.tell(flow(40_000), FlowNews.State.OPENED, 0);
    world.awaitState(status.id(), FlowState.SENDING);
    world.tell(flow(40_000), FlowNews.State.ESTABLISHED, 100_000);
    until(() -> assertThat(world.status(status.id()).remainingBytes()).isEqualTo(300_000));
    world.tell(flow(40_000), FlowNews.State.ESTABLISHED, 400_000);
    world.awaitState(status.id(), FlowState.MET);
    assertThat(flows.deadlines().counts().get(TenantId.of("red"))).containsEntry(FlowState.MET, 1L);
    until(() -> assertThat(flows.isWanted()).isFalse());
    assertThat(flows.flows()).extracting(FlowStatus::state).containsExactly(FlowState.MET);
  }

  @Test
  void aHandshakeIsAnsweredWithoutWaitingForCongestion() throws Exception {
    world.register(flow(40_000), 400_000, 5_000);
    world.tell(flow(40_000), FlowNews.State.OPENED, 0);
    until(() -> assertThat(world.lastGrantOf(flow(40_000)).isReleased()).isTrue());
  }

  @Test
  void aLongQueueBringsWindowsAndTheEndReleasesThem() throws Exception {
    FlowStatus made = world.begin(flow(40_000), 4_000_000, 5_000);
    FlowKey other = FlowKey.of(DeadlineWorld.IP1, 40_001, IP5, 5001);
    world.tell(other, FlowNews.State.OPENED, 0);
    until(
        () -> {
          world.queue(15_000);
          assertThat(world.lastGrantOf(other).windowBytes()).isEqualTo(2 * 1448);
          assertThat(world.lastGrantOf(flow(40_000)).windowBytes()).isGreaterThan(5 * 1448);
        });
    assertThat(flows.deadlines().congestedPorts())
        .singleElement()
        .satisfies(port -> assertThat(port.port()).isEqualTo(BOTTLENECK));
    flows.remove(made.id());
    world.awaitState(made.id(), FlowState.REMOVED);
    until(() -> assertThat(world.lastGrantOf(other).isReleased()).isTrue());
    until(() -> assertThat(world.lastGrantOf(flow(40_000)).isReleased()).isTrue());
  }

  private List<Resend> resends(HostId host) {
    return world.node.link.listedTo(host, Kind.RESENDS, DownlinkMessage::resends);
  }

  private List<LossAnswer> lossAnswers(HostId host) {
    return world.node.link.listedTo(host, Kind.LOSS_ANSWERS, DownlinkMessage::lossAnswers);
  }

  @Test
  void whatAPortLosesIsSentAgainOrAnsweredFor() throws Exception {
    FlowStatus made = world.begin(flow(40_000), 4_000_000, 5_000);
    HostId agent = HostId.of("p1");
    Loss kept = Loss.of(BOTTLENECK, flow(40_000), 1_000, 1448, 9);
    flows.hosts().lossesReported(LossReport.of(agent, System.nanoTime(), List.of(kept)));
    until(() -> assertThat(resends(agent)).contains(Resend.of(BOTTLENECK, 9)));
    FlowKey other = flow(40_001);
    Loss unkept = Loss.of(BOTTLENECK, other, 1_000, 1448, Loss.NOT_KEPT);
    flows.hosts().lossesReported(LossReport.of(agent, System.nanoTime(), List.of(unkept)));
    until(() -> assertThat(lossAnswers(H1)).contains(LossAnswer.of(other, 1_000, 1448)));
  }

  @Test
  void anotherMastersPortIsNotOurs() throws Exception {
    world.world.loseMastership("s1");
    FlowStatus made = world.register(flow(40_000), 400_000, 500).flow().orElseThrow();
    world.tell(flow(40_000), FlowNews.State.OPENED, 0);
    until(
        () -> {
          world.queue(15_000);
          assertThat(world.status(made.id()).state()).isEqualTo(FlowState.MISSED);
        });
    assertThat(world.grantsOf(flow(40_000))).allMatch(WindowGrant::isReleased);
  }

  @Test
  void whatCannotBeMetIsToldTheEarliestAndRegisteredOnlyByForce() throws Exception {
    FlowDecision refused = world.register(flow(1), 4_000_000, 300);
    assertThat(refused.flow()).isEmpty();
    long earliest = refused.admission().earliestNanos().getAsLong();
    assertThat(earliest).isBetween(650 * MILLI, 900 * MILLI);
    assertThat(flows.flows()).isEmpty();
    FlowWish forced = FlowWish.of(flow(1), 4_000_000, 300 * MILLI, true);
    FlowStatus made = flows.register(forced).flow().orElseThrow();
    assertThat(made.promised()).isFalse();
    FlowDecision then =
        flows.register(FlowWish.of(flow(2), 4_000_000, earliest + 50 * MILLI, false));
    assertThat(then.admission().isAccepted()).isTrue();
  }

  @Test
  void aRegistrationIsChangedIfThatCanBeMet() throws Exception {
    FlowStatus made = world.register(flow(1), 400_000, 2_000).flow().orElseThrow();
    FlowDecision smaller =
        flows.change(made.id(), OptionalLong.of(300_000), OptionalLong.empty(), false);
    FlowStatus changed = smaller.flow().orElseThrow();
    assertThat(changed.sizeBytes()).isEqualTo(300_000);
    assertThat(changed.deadline()).isEqualTo(made.deadline());
    FlowDecision sooner =
        flows.change(made.id(), OptionalLong.empty(), OptionalLong.of(30 * MILLI), false);
    assertThat(sooner.flow()).isEmpty();
    assertThat(world.status(made.id()).deadline()).isEqualTo(made.deadline());
    assertThat(world.status(made.id()).promised()).isTrue();
    assertThatThrownBy(() -> flows.change(77, OptionalLong.of(1), OptionalLong.empty(), false))
        .isInstanceOfSatisfying(
            SluiceException.class,
            e -> assertThat(e.kind()).isEqualTo(SluiceException.Kind.NOT_FOUND));
  }

  @Test
  void badWishesAreRefusedWithTheField() {
    refused("sizeBytes", () -> world.register(flow(1), 0, 300));
    refused("dueInMillis", () -> world.register(flow(1), 1, 0));
    refused(
        "source",
        () -> world.register(FlowKey.of(IpAddress.parse("10.9.9.9"), 0, IP5, 0), 1000, 300));
    refused(
        "destination",
        () ->
            world.register(
                FlowKey.of(DeadlineWorld.IP1, 0, IpAddress.parse("10.9.9.9"), 0), 1000, 300));
  }

  private static void refused(String field, ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(SluiceException.class, e -> assertThat(e.field()).contains(field));
  }

  @Test
  void twoThatClaimTheSameFlowAreOne() throws Exception {
    world.register(flow(40_000), 400_000, 2_000);
    refused("source", () -> world.register(flow(40_000), 1000, 2_000));
    world.tell(flow(40_000), FlowNews.State.OPENED, 0);
    refused("source", () -> world.register(flow(40_000), 1000, 2_000));
  }

  @Test
  void oneThatNeverSendsIsForgottenAtItsDeadline() throws Exception {
    FlowStatus made = world.register(flow(40_000), 1_000, 150).flow().orElseThrow();
    world.awaitState(made.id(), FlowState.NEVER_SENT);
    refused("id", () -> flows.remove(made.id()));
  }

  /** With such a period nobody gives a flow up for two seconds after its deadline. */
  private FlowStatus beginAndLetItsDeadlinePass(FlowKey key) throws SluiceException {
    world.node.set("controlPeriodMillis", "1000");
    FlowStatus made =
        flows.register(FlowWish.of(key, 10_000, 200 * MILLI, true)).flow().orElseThrow();
    world.tell(key, FlowNews.State.OPENED, 0);
    until(() -> assertThat(world.status(made.id()).dueInNanos()).isNegative());
    return made;
  }

  @Test
  void whatWasThroughInTimeIsMetThoughNobodyKnewAtItsDeadline() throws Exception {
    FlowStatus made = beginAndLetItsDeadlinePass(flow(40_000));
    assertThat(world.status(made.id()).state()).isEqualTo(FlowState.SENDING);
    assertThat(flows.deadlines().counts().get(TenantId.of("red")))
        .containsEntry(FlowState.SENDING, 1L);
    FlowNews through =
        FlowNews.of(flow(40_000), FlowNews.State.ESTABLISHED, 10_000, 400_000, false)
            .progressedBefore(5_000 * MILLI);
    flows.hosts().flowsReported(report(false, through));
    world.awaitState(made.id(), FlowState.MET);
    assertThat(world.status(made.id()).remainingBytes()).isZero();
  }

  @Test
  void whatIsPastItsDeadlineCanBeTakenBackButNotChanged() throws Exception {
    FlowStatus made = beginAndLetItsDeadlinePass(flow(40_000));
    OptionalLong later = OptionalLong.of(5_000 * MILLI);
    refused("id", () -> flows.change(made.id(), OptionalLong.empty(), later, true));
    flows.remove(made.id());
    world.awaitState(made.id(), FlowState.REMOVED);
  }

  @Test
  void oneThatSendsTwiceItsSizeIsMetAndGoesOn() throws Exception {
    FlowStatus made = world.register(flow(40_000), 100_000, 3_000).flow().orElseThrow();
    world.tell(flow(40_000), FlowNews.State.OPENED, 0);
    world.tell(flow(40_000), FlowNews.State.ESTABLISHED, 200_000);
    world.awaitState(made.id(), FlowState.MET);
    world.tell(flow(40_000), FlowNews.State.CLOSED, 200_000);
    assertThat(world.status(made.id()).state()).isEqualTo(FlowState.MET);
  }

  /** It began 100 ms before it was registered: its host's first report names it. */
  @Test
  void oneThatIsRegisteredLateCountsWhatItHasSent() throws Exception {
    FlowStatus made = world.register(flow(40_000), 1_000_000, 3_000).flow().orElseThrow();
    flows
        .hosts()
        .flowsReported(
            report(
                true,
                FlowNews.of(flow(40_000), FlowNews.State.ESTABLISHED, 600_000, 400_000, true)));
    until(() -> assertThat(world.status(made.id()).remainingBytes()).isEqualTo(400_000));
    // And one that is known already when it is registered, since another has a deadline.
    FlowKey second = flow(40_001);
    world.tell(second, FlowNews.State.OPENED, 0);
    world.tell(second, FlowNews.State.ESTABLISHED, 300_000);
    until(
        () -> {
          try {
            FlowStatus late = world.register(second, 500_000, 3_000).flow().orElseThrow();
            assertThat(late.state()).isEqualTo(FlowState.SENDING);
            assertThat(late.remainingBytes()).isEqualTo(200_000);
          } catch (SluiceException e) {
            throw new AssertionError(e);
          }
        });
  }

  @Test
  void whatACompleteReportDoesNotNameHasEnded() throws Exception {
    FlowStatus made = world.begin(flow(40_000), 1_000_000, 5_000);
    flows.hosts().flowsReported(report(true));
    world.awaitState(made.id(), FlowState.CLOSED_EARLY);
  }

  @Test
  void aShortFlowBetweenTwoReportsCounts() throws Exception {
    FlowStatus made = world.register(flow(0), 10_000, 5_000).flow().orElseThrow();
    world.tell(flow(40_000), FlowNews.State.CLOSED, 10_000);
    world.awaitState(made.id(), FlowState.MET);
  }

  @Test
  void whoeverStartsTakesOverWhatTheStoreHolds() throws Exception {
    FlowStatus made = world.register(flow(40_000), 100_000, 60_000).flow().orElseThrow();
    world.node.stop();
    FlowStore store = new FlowStore(world.world.storage, new DeadlineWorld.NobodyListens());
    assertThat(store.flows()).extracting(StoredFlow::id).containsExactly(made.id());
    assertThat(store.ledger().value().flows()).isEmpty();
    assertThat(store.ledger().value().nextId()).isEqualTo(made.id() + 1);
  }

  /** It decides at the very moment at which this node has settled a decision of its own. */
  @Test
  void whatAnotherNodePromisesInBetweenIsNotPromisedTwice() throws Exception {
    FlowStore elsewhere = new FlowStore(world.world.storage, new DeadlineWorld.NobodyListens());
    world.world.storage.afterNextReplacement(
        () -> {
          Versioned<Ledger> ledger = elsewhere.ledger();
          assertThat(ledger.value().flows()).isEmpty();
          long id = ledger.value().nextId();
          long due = WallClock.SYSTEM.micros() + 900_000;
          StoredFlow other = StoredFlow.of(id, flow(77), TenantId.of("red"), 4_000_000, due, true);
          Ledger decided = ledger.value().next(id + 1, List.of(other));
          assertThat(elsewhere.replace(ledger, decided)).isTrue();
        });
    world.register(flow(1), 1_000, 60_000);
    assertThat(world.register(flow(2), 4_000_000, 1_000).flow()).isEmpty();
    assertThat(flows.flows()).extracting(FlowStatus::flow).contains(flow(77));
  }

  @Test
  void deactivationTakesAllBack() throws Exception {
    FlowStatus made = world.begin(flow(40_000), 4_000_000, 60_000);
    world.awaitGrant(flow(40_000));
    flows.withdraw();
    assertThat(world.lastGrantOf(flow(40_000)).isReleased()).isTrue();
    assertThat(new FlowStore(world.world.storage, new DeadlineWorld.NobodyListens()).flows())
        .isEmpty();
  }

  @Test
  void switchedOffMeansNoDeadlines() throws Exception {
    world.register(flow(40_000), 4_000_000, 60_000);
    world.node.set("deadlines", "off");
    until(() -> assertThat(flows.isWanted()).isFalse());
    assertThatThrownBy(() -> world.register(flow(40_001), 1_000, 60_000))
        .isInstanceOfSatisfying(
            SluiceException.class,
            e -> assertThat(e.kind()).isEqualTo(SluiceException.Kind.UNAVAILABLE));
    world.node.set("deadlines", "across");
    until(() -> assertThat(flows.isWanted()).isTrue());
  }

  @Test
  void applicationsOnAHostAreAnsweredAboutItsEndpointsAlone() throws Exception {
    FlowWish wish = FlowWish.of(flow(40_000), 100_000, 3_000 * MILLI, false);
    flows.hosts().flowRequested(FlowRequest.register(H1, 1, wish));
    FlowAnswer registered = answer(H1, 1);
    assertThat(registered.body().registered().promised()).isTrue();
    long id = registered.body().registered().id();

    flows.hosts().flowRequested(FlowRequest.list(H1, 2));
    assertThat(answer(H1, 2).body().flows()).extracting(FlowStatus::id).containsExactly(id);
    HostId h2 = HostId.of("h2");
    flows.hosts().flowRequested(FlowRequest.list(h2, 3));
    assertThat(answer(h2, 3).body().flows()).isEmpty();
    flows.hosts().flowRequested(FlowRequest.remove(h2, 4, id));
    assertThat(answer(h2, 4).body().removed()).isFalse();
    flows.hosts().flowRequested(FlowRequest.register(h2, 5, wish));
    assertThat(answer(h2, 5).body().refused().field()).isEqualTo("source");
    FlowWish impossible = FlowWish.of(FlowKey.of(IP2, 1, IP5, 2), 4_000_000, 100 * MILLI, false);
    flows.hosts().flowRequested(FlowRequest.register(h2, 6, impossible));
    assertThat(answer(h2, 6).body().cannotBeMet()).isPresent();
    FlowWish senseless = FlowWish.of(FlowKey.of(IP2, 1, IP5, 2), 0, 100 * MILLI, false);
    flows.hosts().flowRequested(FlowRequest.register(h2, 7, senseless));
    assertThat(answer(h2, 7).body().refused().field()).isEqualTo("sizeBytes");
    flows.hosts().flowRequested(FlowRequest.remove(H1, 8, id));
    assertThat(answer(H1, 8).body().removed()).isTrue();

    world.lead("elsewhere");
    flows.hosts().flowRequested(FlowRequest.list(H1, 9));
    world.lead("local");
    flows.hosts().flowRequested(FlowRequest.list(H1, 10));
    answer(H1, 10);
    assertThat(answers(H1)).noneMatch(answer -> answer.request() == 9);
  }

  private List<FlowAnswer> answers(HostId host) {
    return world.node.link.sentTo(host, Kind.FLOW_ANSWER, DownlinkMessage::flowAnswer);
  }

  private FlowAnswer answer(HostId host, long request) {
    until(() -> assertThat(answers(host)).anyMatch(answer -> answer.request() == request));
    return answers(host).stream()
        .filter(answer -> answer.request() == request)
        .findFirst()
        .orElseThrow();
  }
}

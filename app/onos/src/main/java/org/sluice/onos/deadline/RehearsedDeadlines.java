// SPDX-License-Identifier: Apache-2.0
package org.sluice.onos.deadline;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.sluice.agentlink.LinkRehearsal;
import org.sluice.api.SluiceException;
import org.sluice.api.deadline.FlowState;
import org.sluice.api.link.AgentLink;
import org.sluice.api.link.AgentLinkListener;
import org.sluice.api.link.FlowNews;
import org.sluice.api.link.FlowReport;
import org.sluice.api.link.Loss;
import org.sluice.api.link.LossReport;
import org.sluice.engine.deadline.Outlook;
import org.sluice.onos.journal.JournalKeeper;
import org.sluice.onos.setting.Parameters;

/**
 * Flows with deadlines from their registration to their end, played by the very classes that do it
 * in earnest, in a {@link RehearsedNetwork} and in a time of its own that runs ahead, a control
 * period in a step. What it learns goes with it; nobody else hears of it.
 *
 * <p>In every scene two flows are through in time, one of them registered before it has a name,
 * beside one without a deadline; a third has been registered by force and is late, a fourth is
 * refused. Packets are lost, ways are looked up again, the queue is long by the port's word or by
 * the hosts'. Then nobody wants anything for a while, and all is over.
 */
final class RehearsedDeadlines implements Rehearsal.Play {
  /** A virtual machine compiles what was called 200 times, and later if much waits for that. */
  static final int SCENES = 300;

  private static final int LOSSES_STEP = 6;
  private static final int WAYS_STEP = 8;
  private static final int COMPLETE_STEP = 10;
  private static final int OVER_STEP = 24;
  private static final int QUIET_STEP = 26;
  static final int STEPS = 28;

  private static final int DUE_PERIODS = 20;
  private static final int DUE_LATER_PERIODS = 60;

  /** Longer than windows linger after the last deadline. */
  private static final long QUIET_NANOS = TimeUnit.SECONDS.toNanos(3);

  private final Parameters parameters;
  private final long periodNanos;
  private final long periodBytes;
  private final RehearsedNetwork network;
  private final AgentLinkListener agent;
  private final FlowHistory history = new FlowHistory();
  private final EngineDesk desk = new EngineDesk();
  private final FlowChronicle chronicle;
  private final DeadlineLoop loop;

  private final RehearsedFlow prompt;
  private final RehearsedFlow second;
  private final RehearsedFlow late;
  private final RehearsedFlow refused;
  private final RehearsedFlow endless;
  private final List<RehearsedFlow> connections;

  private long nowNanos = System.nanoTime();
  private long ids;
  private int scene;
  private int step;

  /**
   * Before the first scene.
   *
   * @param parameters do not switch deadlines off
   * @param link nobody else's
   * @param agent has the one agent at that link say what it hears
   */
  RehearsedDeadlines(
      Parameters parameters, RehearsedNetwork network, AgentLink link, AgentLinkListener agent) {
    this.parameters = parameters;
    this.network = network;
    this.agent = agent;
    periodNanos = TimeUnit.MILLISECONDS.toNanos(parameters.controlPeriodMillis());
    periodBytes = RehearsedNetwork.payloadBytes(periodNanos);
    prompt = RehearsedFlow.exact(1, 3 * periodBytes);
    second = RehearsedFlow.pattern(2, 6 * periodBytes);
    late = RehearsedFlow.exact(3, 2 * DUE_PERIODS * periodBytes);
    refused = RehearsedFlow.exact(4, 2 * DUE_PERIODS * periodBytes);
    endless = RehearsedFlow.exact(5, Long.MAX_VALUE);
    connections = List.of(prompt, second, late, endless);
    chronicle = new FlowChronicle(new JournalKeeper(), network, () -> parameters);
    Surroundings surroundings = new Surroundings(link, network, network, network, chronicle, 1);
    loop = new DeadlineLoop(network, surroundings, history, parameters, this::review);
    link.addListener(new HostNews(desk, request -> {}, loop::isAtWork, () -> false));
    agent.connected(network.hello());
  }

  /** With all that is said going through its form on the wire. */
  static RehearsedDeadlines overTheWire(Parameters parameters) {
    RehearsedNetwork network = new RehearsedNetwork();
    LinkRehearsal link = new LinkRehearsal(network.hello());
    return new RehearsedDeadlines(parameters, network, link, link);
  }

  /** What became of all that was registered. */
  Map<FlowState, Long> ends() {
    return history.counts().getOrDefault(network.tenantId(), Map.of());
  }

  @Override
  public boolean step() throws SluiceException {
    nowNanos += step < QUIET_STEP ? periodNanos : QUIET_NANOS;
    if (step == 0) {
      register();
    } else if (step == 1) {
      connections.forEach(this::begin);
    } else if (step < OVER_STEP) {
      send();
    } else {
      connections.forEach(this::end);
    }
    tell();
    decide();
    step++;
    if (step == STEPS) {
      step = 0;
      scene++;
    }
    return scene < SCENES;
  }

  // ------------------------------------------------------------ tenants

  /** As the {@link Registrar} does, but for the store. */
  private void register() throws SluiceException {
    List<FlowAsk> asks =
        List.of(
            ask(prompt, DUE_PERIODS, false),
            ask(second, DUE_LATER_PERIODS, false),
            ask(late, DUE_PERIODS, true),
            ask(refused, DUE_PERIODS, false));
    Outlook outlook = loop.outlook(asks, nowNanos);
    for (FlowAsk ask : asks) {
      loop.prepare(ask, outlook, nowNanos);
      ask.admission = outlook.ask(ask.question, ask.deadlineNanos, ask.force);
      if (ask.isGranted()) {
        ids++;
        ask.stored = ask.stored.decided(ids, ask.admission.isAccepted());
        chronicle.registered(loop.registrations().make(ask, nowNanos), ask.admission);
      } else {
        chronicle.refused(ask.stored, ask.dueInNanos.getAsLong(), ask.admission);
      }
    }
  }

  private FlowAsk ask(RehearsedFlow flow, int duePeriods, boolean force) {
    return new FlowAsk(
        FlowAsk.NEW,
        flow.registered,
        OptionalLong.of(flow.sizeBytes),
        OptionalLong.of(duePeriods * periodNanos),
        force,
        nowNanos,
        TimeUnit.NANOSECONDS.toMicros(nowNanos));
  }

  // ------------------------------------------------------------ hosts and switches

  private void begin(RehearsedFlow flow) {
    flow.begin();
    desk.offer(true, (loop, now) -> loop.seenToBegin(flow.connection, now));
  }

  private void end(RehearsedFlow flow) {
    if (flow.isSending()) {
      flow.end();
      desk.offer(true, (loop, now) -> loop.seenToEnd(flow.connection, now));
    }
  }

  /** A period's worth arrives, the most urgent first. */
  private void send() {
    long left = periodBytes - endless.deliver(FlowPaths.SEGMENT_BYTES);
    for (RehearsedFlow flow : List.of(prompt, second, late)) {
      if (flow.isSending()) {
        left -= flow.deliver(left);
        if (flow == prompt && flow.isThrough()) {
          end(flow); // In the same news as its last bytes.
        }
      }
    }
    if (step == WAYS_STEP) {
      network.changeWays();
    }
  }

  private void tell() {
    List<FlowNews> news =
        connections.stream()
            .map(RehearsedFlow::takeNews)
            .flatMap(Optional::stream)
            .collect(Collectors.toList());
    if (!news.isEmpty()) {
      boolean complete = step == COMPLETE_STEP;
      agent.flowsReported(FlowReport.of(RehearsedNetwork.HOST, nowNanos, complete, news));
    }
    if (step == LOSSES_STEP) {
      agent.lost(
          LossReport.of(
              RehearsedNetwork.HOST,
              nowNanos,
              List.of(loss(endless, 1), loss(late, Loss.NOT_KEPT))));
    }
    if (scene % 2 == 0) {
      network.engine().observe(network.marked(nowNanos, periodNanos));
    } else {
      agent.queued(network.queued(nowNanos, periodNanos));
    }
  }

  private static Loss loss(RehearsedFlow flow, long kept) {
    long sequence = 1 << 30; // Beyond all that will be acknowledged.
    return Loss.of(RehearsedNetwork.PORT, flow.connection, sequence, FlowPaths.SEGMENT_BYTES, kept);
  }

  // ------------------------------------------------------------ the engine's thread

  private void decide() {
    network.engine().tick(nowNanos, TimeUnit.NANOSECONDS.toMillis(nowNanos));
    loop.follow(parameters, nowNanos);
    desk.work(loop, nowNanos);
    loop.step(nowNanos);
    loop.takeRegistered();
  }

  private void review(Outlook before) {
    before.broken();
    loop.outlookLike(before, nowNanos).broken();
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.transport;

import java.util.SplittableRandom;
import org.sluice.sim.event.Scheduler;
import org.sluice.sim.packet.Packet;
import org.sluice.sim.packet.Receiver;

/** The end of a connection that sends data: takes acknowledgements in, keeps the timers. */
final class TcpSender implements Receiver {
  private static final int DEFAULT_SEGMENT_BYTES = 536;

  private enum State {
    CLOSED,
    SYN_SENT,
    ESTABLISHED
  }

  private final Scheduler scheduler;
  private final TcpParameters parameters;
  private final FlowStatistics statistics;
  private final TcpFlow flow;
  private final SplittableRandom random;
  private final SenderRoute route;
  private CongestionControls controlInUse;
  private CongestionControl control;
  private DeliveryRate deliveryRate;
  private Scoreboard board;
  private LossRecovery recovery;
  private final EchoResponse echoes = new EchoResponse();
  private final RetransmissionTimeout timeout;
  private final Acknowledgement summary = new Acknowledgement();
  private final ActiveOpen opening;
  private final Timer retransmission;
  private final Pacing pacing;
  private final int mssBytes;
  private Direction out;

  private State state = State.CLOSED;
  private long writtenBytes;
  private boolean lastWritten;
  private long windowBytes;
  private long widestWindowBytes;
  private int expirations;
  private long lastSentNanos;
  private boolean windowLimits;
  private boolean persisting;

  TcpSender(Scheduler scheduler, TcpFlow flow, TcpParameters parameters, SplittableRandom random) {
    this.scheduler = scheduler;
    this.flow = flow;
    this.parameters = parameters;
    this.statistics = flow.statistics();
    this.mssBytes = parameters.mssBytes();
    this.random = random;
    route = new SenderRoute(parameters);
    use(parameters.congestionControl());
    opening = new ActiveOpen(parameters);
    retransmission = new Timer(scheduler, this::expired);
    pacing = new Pacing(scheduler, this::transmit);
    timeout =
        new RetransmissionTimeout(
            parameters.rtoInitialNanos(), parameters.rtoMinNanos(), parameters.rtoMaxNanos());
  }

  private void use(CongestionControls chosen) {
    controlInUse = chosen;
    control = chosen.create(parameters, random);
    deliveryRate = control.wantsDeliveryRate() ? new DeliveryRate() : null;
    board = new Scoreboard(deliveryRate);
    recovery = new LossRecovery(board, control, parameters);
  }

  void sendVia(Direction direction) {
    out = direction;
  }

  CongestionControl control() {
    return control;
  }

  Scoreboard board() {
    return board;
  }

  boolean isClosed() {
    return state == State.CLOSED;
  }

  boolean isEstablished() {
    return state == State.ESTABLISHED;
  }

  /** Opens a connection; nothing of one before is left. */
  void open() {
    route.open(flow.source().host(), flow.destination().host());
    if (route.congestionControl() != controlInUse) {
      use(route.congestionControl());
    }
    board.reset();
    recovery.reset();
    timeout.reset();
    echoes.reset();
    if (deliveryRate != null) {
      deliveryRate.reset();
    }
    writtenBytes = 0;
    lastWritten = false;
    expirations = 0;
    opening.reset();
    pacing.reset();
    windowLimits = false;
    persisting = false;
    state = State.SYN_SENT;
    sendSyn();
  }

  /** The application gives more bytes to send, perhaps its last. */
  void write(long bytes, boolean last) {
    writtenBytes += bytes;
    lastWritten = last;
    transmit();
  }

  /** The application gives no more, and takes back what has not been sent yet. */
  void finish() {
    lastWritten = true;
    writtenBytes = board.nextSequence();
    closeIfDone();
  }

  long writtenBytes() {
    return writtenBytes;
  }

  @Override
  public void receive(Packet packet) {
    if (!flow.ownsReturning(packet)) {
      return;
    }
    if ((packet.flags & Packet.SYN) != 0) {
      established(packet);
    } else if (state == State.ESTABLISHED) {
      acknowledgement(packet);
    }
  }

  private void sendSyn() {
    startTimer();
    opening.send(out, scheduler.now());
  }

  private void established(Packet synAck) {
    if (state != State.SYN_SENT) {
      return;
    }
    long now = scheduler.now();
    state = State.ESTABLISHED;
    retransmission.stop();
    expirations = 0;
    windowBytes = synAck.windowBytes;
    widestWindowBytes = windowBytes;
    echoes.negotiated(parameters.ecn(), opening.ecnAgreed(synAck));
    long rtt = opening.roundTripNanos(synAck, now);
    if (rtt != Acknowledgement.NO_SAMPLE) {
      sampleRoundTrip(rtt);
    }
    control.open(
        mssBytes,
        opening.initialWindowBytes(route.initialWindowSegments()),
        timeout.smoothedNanos(),
        now);
    lastSentNanos = now;
    flow.established();
    transmit();
    if (board.nextSequence() == 0) {
      sendBareAcknowledgement();
    }
  }

  /** Ends the handshake where no data does. */
  private void sendBareAcknowledgement() {
    Packet packet = out.packet(TcpParameters.HEADER_BYTES, 0);
    packet.flags = Packet.ACK;
    packet.timestampNanos = scheduler.now();
    out.send(packet);
  }

  private void acknowledgement(Packet packet) {
    long sequence = packet.acknowledgement;
    if (sequence < board.firstSequence() || sequence > board.nextSequence()) {
      return;
    }
    long now = scheduler.now();
    long priorDelivered = board.deliveredBytes();
    summary.priorFlightBytes = board.pipeBytes();
    boolean windowChanged = packet.windowBytes != windowBytes;
    windowBytes = packet.windowBytes;
    widestWindowBytes = Math.max(widestWindowBytes, windowBytes);
    long outstanding = board.outstandingBytes();
    long acknowledged = board.acknowledge(sequence);
    boolean sackedNew = false;
    for (int i = 0; i < packet.sackBlocks; i++) {
      sackedNew |= board.sack(packet.sackLeft[i], packet.sackRight[i]);
    }
    long rtt = roundTrip(packet, acknowledged, now);
    if (rtt != Acknowledgement.NO_SAMPLE) {
      sampleRoundTrip(rtt);
    }
    boolean duplicate =
        acknowledged == 0 && (parameters.sack() ? sackedNew : outstanding > 0 && !windowChanged);
    if (recovery.acknowledged(acknowledged, duplicate, now)) {
      statistics.fastRetransmits++;
      echoes.reduced(board.nextSequence());
    }
    if (acknowledged > 0) {
      expirations = 0;
      if (board.outstandingBytes() == 0) {
        retransmission.stop();
      } else if (recovery.restartsTimer()) {
        startTimer();
      }
    }
    boolean echo = echoes.isEcho(packet);
    if (acknowledged > 0 || sackedNew || echo) {
      summarize(acknowledged, board.deliveredBytes() - priorDelivered, rtt, echo, now);
      control.acknowledged(summary);
    }
    if (echo && echoes.answers(sequence, board.nextSequence())) {
      statistics.windowReductions++;
      control.echoed(Math.min(control.windowBytes(), outstanding), now);
    }
    closeIfDone();
    transmit();
  }

  private long roundTrip(Packet packet, long acknowledged, long now) {
    long sent = board.takeNewestSentNanos();
    if (parameters.timestamps()) {
      return acknowledged > 0 ? now - packet.timestampEchoNanos : Acknowledgement.NO_SAMPLE;
    }
    return sent == Scoreboard.NONE ? Acknowledgement.NO_SAMPLE : now - sent;
  }

  private void sampleRoundTrip(long nanos) {
    timeout.setMinimumNanos(route.rtoMinNanos());
    timeout.sample(nanos);
    statistics.roundTrip(nanos);
  }

  private void summarize(long acknowledged, long delivered, long rtt, boolean echo, long now) {
    summary.nowNanos = now;
    summary.acknowledgedTo = board.firstSequence();
    summary.nextSequence = board.nextSequence();
    summary.acknowledgedBytes = acknowledged;
    summary.newlyDeliveredBytes = delivered;
    summary.deliveredBytes = board.deliveredBytes();
    summary.flightBytes = board.pipeBytes();
    summary.lostBytes = board.lostBytes();
    summary.rttNanos = rtt;
    summary.smoothedRttNanos = timeout.smoothedNanos();
    summary.remainingBytes = writtenBytes - board.firstSequence();
    summary.deadlineNanos = flow.deadlineNanos();
    summary.echo = echo;
    summary.inRecovery = recovery.inRecovery();
    summary.afterTimeout = recovery.afterTimeout();
    summary.mayGrow = !echo && !summary.inRecovery && windowLimits && acknowledged > 0;
    if (deliveryRate != null) {
      deliveryRate.sample(summary, board.deliveredBytes(), statistics.rttMinNanos());
    }
  }

  /** Sends what may be sent now: what is lost first (RFC 6675, NextSeg). */
  private void transmit() {
    if (state != State.ESTABLISHED) {
      return;
    }
    boolean atOnce = recovery.takeResendNow();
    restartAfterIdle();
    while (true) {
      long lost = board.nextLost();
      int bytes = lost != Scoreboard.NONE ? board.length(lost) : newSegmentBytes();
      if (bytes == 0 && recovery.inRecovery()) {
        lost = board.nextMissing();
        bytes = lost != Scoreboard.NONE ? board.length(lost) : 0;
      }
      if (bytes == 0) {
        windowLimits = false;
        ranDry();
        return;
      }
      double room = control.windowBytes() + recovery.inflationBytes() - board.pipeBytes();
      if (bytes > room && !(atOnce && lost != Scoreboard.NONE)) {
        windowLimits = true;
        return;
      }
      if (!atOnce && pacing.mustWait()) {
        return;
      }
      if (lost != Scoreboard.NONE) {
        resend(lost, bytes);
      } else {
        sendNew(bytes);
      }
      atOnce = false;
    }
  }

  private void restartAfterIdle() {
    long now = scheduler.now();
    if (board.outstandingBytes() == 0 && now - lastSentNanos > timeout.nanos()) {
      control.idled(now);
    }
  }

  /** What of new data may go into the next segment by the receiver's window; 0: nothing. */
  private int newSegmentBytes() {
    long next = board.nextSequence();
    long unsent = writtenBytes - next;
    long room = board.firstSequence() + windowBytes - next;
    int segment = segmentBytes();
    int bytes = (int) Math.min(segment, Math.min(unsent, room));
    if (bytes <= 0) {
      return 0;
    }
    // Silly windows: a part of a segment goes out only when it is the last, or nothing else is.
    return bytes < segment && bytes < unsent && board.outstandingBytes() > 0 ? 0 : bytes;
  }

  /** A window below RFC 9293's default segment (section 3.7.1) is not halved. */
  private int segmentBytes() {
    return parameters.halvesWindows() && widestWindowBytes > DEFAULT_SEGMENT_BYTES
        ? (int) Math.min(mssBytes, widestWindowBytes / 2)
        : mssBytes;
  }

  private void ranDry() {
    if (deliveryRate != null
        && board.nextSequence() == writtenBytes
        && board.pipeBytes() < control.windowBytes()) {
      deliveryRate.limitedByApplication(board.deliveredBytes(), board.pipeBytes());
    }
    boolean shut = board.outstandingBytes() == 0 && board.nextSequence() < writtenBytes;
    if (shut && !retransmission.isRunning()) {
      // The persist timer of RFC 9293, section 3.8.6.1: the same clock and back-off.
      startTimer();
      persisting = true;
    }
  }

  private void sendNew(int bytes) {
    long sequence = board.nextSequence();
    board.append(bytes, scheduler.now());
    send(sequence, bytes, false);
  }

  private void resend(long number, int bytes) {
    board.resent(number, scheduler.now());
    statistics.retransmittedPackets++;
    send(board.sequenceOf(number), bytes, true);
  }

  private void send(long sequence, int bytes, boolean again) {
    long now = scheduler.now();
    Packet packet = out.packet(TcpParameters.HEADER_BYTES, bytes);
    packet.sequence = sequence;
    packet.flags = Packet.ACK;
    if (lastWritten && sequence + bytes == writtenBytes) {
      packet.flags |= Packet.FIN;
    }
    packet.timestampNanos = now;
    echoes.label(packet, again);
    statistics.sentPackets++;
    lastSentNanos = now;
    if (!retransmission.isRunning() || persisting) {
      startTimer(); // What was left of the persist timer is no time to wait for data.
      persisting = false;
    }
    pacing.sent(bytes, route.pacingBitsPerSecond(control.pacingBitsPerSecond()));
    out.send(packet);
  }

  private void closeIfDone() {
    if (lastWritten && board.firstSequence() == writtenBytes && state != State.CLOSED) {
      state = State.CLOSED;
      retransmission.stop();
      flow.closed();
    }
  }

  private void startTimer() {
    retransmission.start(timeout.nanos());
  }

  private void expired() {
    statistics.timeouts++;
    timeout.backOff();
    if (state == State.SYN_SENT) {
      sendSyn();
      return;
    }
    startTimer();
    if (board.outstandingBytes() == 0) {
      probe();
      return;
    }
    recovery.timedOut(expirations++ > 0, scheduler.now());
    echoes.reduced(board.nextSequence());
    pacing.reset();
    transmit();
  }

  /** Probes a closed window with a byte: the answer carries its present size. */
  private void probe() {
    statistics.timeouts--;
    if (newSegmentBytes() > 0) {
      transmit();
    } else if (board.nextSequence() < writtenBytes) {
      sendNew(1);
    }
  }
}

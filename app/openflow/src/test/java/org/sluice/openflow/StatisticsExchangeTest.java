// SPDX-License-Identifier: Apache-2.0
package org.sluice.openflow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.projectfloodlight.openflow.protocol.OFMessage;
import org.projectfloodlight.openflow.protocol.OFMeterStatsRequest;
import org.projectfloodlight.openflow.protocol.OFPortStatsRequest;
import org.projectfloodlight.openflow.types.OFPort;
import org.sluice.api.counters.CounterTargets;
import org.sluice.api.counters.MeterSample;
import org.sluice.api.counters.PortSample;
import org.sluice.polling.PollCounts;
import org.sluice.polling.PollRequest;
import org.sluice.polling.Poller;

class StatisticsExchangeTest {
  private static final String S1 = "of:0000000000000001";
  private static final long MILLI = TimeUnit.MILLISECONDS.toNanos(1);

  private final RecordingWire wire = new RecordingWire();
  private final RecordingListener listener = new RecordingListener();
  private final PollCounts counts = new PollCounts();
  private long now = 1_000_000_000;
  private final StatisticsExchange exchange =
      new StatisticsExchange(S1, wire, listener, () -> now, new Xids(), counts);
  private final Poller poller = exchange.poller();

  private static final class RecordingWire implements StatisticsExchange.Wire {
    private final List<OFMessage> sent = new ArrayList<>();
    private long wakeAtNanos;

    @Override
    public void send(OFMessage message) {
      sent.add(message);
    }

    @Override
    public void wakeAt(long nanos) {
      wakeAtNanos = nanos;
    }

    private OFMessage last() {
      return sent.get(sent.size() - 1);
    }
  }

  @BeforeEach
  void onePort() {
    poller.setTargets(Optional.of(CounterTargets.of(Map.of(5L, 0L), Map.of())));
  }

  private void sleep() {
    assertThat(wire.wakeAtNanos).isGreaterThan(now);
    now = wire.wakeAtNanos;
    poller.wake();
  }

  private void reply(OFMessage message) throws ProtocolFault {
    exchange.replied(SwitchMessages.frame(message));
  }

  private long askedXid() {
    return wire.last().getXid();
  }

  @Test
  void oneRequestIsInFlightAtATime() throws Exception {
    poller.setTargets(Optional.of(CounterTargets.of(Map.of(5L, 0L, 6L, 0L), Map.of(1L, 5L))));
    assertThat(wire.sent).hasSize(1);
    poller.wake();
    assertThat(wire.sent).hasSize(1);

    reply(SwitchMessages.port(askedXid(), 5, 1, 10, false));
    assertThat(wire.sent).hasSize(2);
    assertThat(wire.last()).isInstanceOf(OFMeterStatsRequest.class);
    reply(SwitchMessages.meter(askedXid(), 1, 1, 10));
    sleep(); // The budget of quiet ports has paid for one already.
    assertThat(wire.sent).hasSize(3);
    assertThat(wire.last()).isInstanceOf(OFPortStatsRequest.class);
  }

  @Test
  void aSampleIsTheDifferenceOfTwoReadings() throws Exception {
    reply(SwitchMessages.port(askedXid(), 5, 1000, 10, false));
    assertThat(listener.ports).isEmpty();
    sleep();
    reply(SwitchMessages.port(askedXid(), 5, 1500, 110, false));

    PortSample sample = listener.ports.get(0);
    assertThat(sample.port().toString()).isEqualTo(S1 + "/5");
    assertThat(sample.rxBytes()).isEqualTo(500);
    assertThat(sample.txPackets()).isEqualTo(500);
    assertThat(sample.intervalNanos()).isEqualTo(100 * MILLI);
    assertThat(sample.txBitsPerSecond()).isEqualTo(40_000);
  }

  @Test
  void dropsAreCountedWhereTheSwitchDoes() throws Exception {
    reply(SwitchMessages.port(askedXid(), 5, 1000, 7, 10, false));
    sleep();
    reply(SwitchMessages.port(askedXid(), 5, 1500, 10, 110, false));
    assertThat(listener.ports.get(0).txDroppedPackets()).isEqualTo(3);
  }

  @Test
  void uncountedDropsAreZero() throws Exception {
    reply(SwitchMessages.port(askedXid(), 5, 1000, -1, 10, false));
    sleep();
    reply(SwitchMessages.port(askedXid(), 5, 1500, -1, 110, false));
    assertThat(listener.ports.get(0).txBytes()).isEqualTo(500);
    assertThat(listener.ports.get(0).txDroppedPackets()).isEqualTo(PortSample.NOT_COUNTED);
  }

  @Test
  void aMeterIsReadToo() throws Exception {
    poller.setTargets(Optional.of(CounterTargets.of(Map.of(), Map.of(7L, 1L))));
    reply(SwitchMessages.port(askedXid(), 5, 1, 10, false)); // Requested before it was removed.
    reply(SwitchMessages.meter(askedXid(), 7, 10, 10));
    sleep();
    reply(SwitchMessages.meter(askedXid(), 7, 14, 110));

    assertThat(listener.meters).containsExactly(MeterSample.of(S1, 7, 4, 6000, 100 * MILLI));
  }

  @Test
  void replyForAllPortsDefinesWhichPortsExist() throws Exception {
    Map<Long, Long> ports = new HashMap<>();
    for (long port = 1; port <= 10; port++) {
      ports.put(port, 0L);
    }
    reply(SwitchMessages.port(askedXid(), 5, 1, 10, false));
    poller.setTargets(Optional.of(CounterTargets.of(ports, Map.of())));
    while (!((OFPortStatsRequest) wire.last()).getPortNo().equals(OFPort.ANY)) {
      sleep();
    }
    long xid = askedXid();
    reply(SwitchMessages.port(xid, 1, 1000, 10, true));
    reply(SwitchMessages.port(xid, 77, 1000, 10, true)); // Nobody wants to know.
    reply(SwitchMessages.port(xid, 2, 1000, 10, false));
    int before = wire.sent.size();
    while (wire.sent.size() == before) {
      sleep();
    }
    reply(SwitchMessages.port(askedXid(), 1, 1500, 1010, true));
    reply(SwitchMessages.port(wire.last().getXid(), 2, 1700, 1010, false));

    assertThat(listener.ports).extracting(sample -> sample.port().number()).contains(1L);
    assertThat(listener.ports).noneMatch(sample -> sample.port().number() == 77);
  }

  @Test
  void lastPartCompletesAReply() throws Exception {
    long xid = askedXid();
    reply(SwitchMessages.port(xid, 4, 1, 10, true));
    reply(SwitchMessages.port(xid, 5, 1000, 10, true));
    assertThat(counts.replies()).isZero();
    reply(SwitchMessages.port(xid, 6, 1, 10, false));
    assertThat(counts.replies()).isEqualTo(1);

    sleep();
    xid = askedXid();
    reply(SwitchMessages.port(xid, 5, 1001, 110, true));
    reply(SwitchMessages.port(xid, 6, 1, 110, false));
    assertThat(listener.ports).hasSize(1);
  }

  @Test
  void endlessReplyIsAFault() {
    long xid = askedXid();
    assertThatThrownBy(
            () -> {
              for (int part = 0; part <= Assembly.MAX_PARTS; part++) {
                reply(SwitchMessages.port(xid, 4, 1, 10, true));
              }
            })
        .isInstanceOf(ProtocolFault.class);
  }

  @Test
  void unrequestedReplyIsIgnored() throws Exception {
    reply(SwitchMessages.port(askedXid() + 1, 5, 1000, 10, false));

    assertThat(counts.staleReplies()).isEqualTo(1);
    assertThat(counts.replies()).isZero();
    assertThat(wire.sent).hasSize(1);
  }

  @Test
  void requestTimesOutAndItsLateReplyIsIgnored() throws Exception {
    long late = askedXid();
    sleep();
    assertThat(counts.timeouts()).isEqualTo(1);
    assertThat(wire.sent).hasSize(2);

    reply(SwitchMessages.port(late, 5, 1000, 10, false));
    assertThat(counts.staleReplies()).isEqualTo(1);
    reply(SwitchMessages.port(askedXid(), 5, 1000, 300, false));
    assertThat(counts.replies()).isEqualTo(1);
  }

  @Test
  void pollsOfASilentSwitchBackOff() {
    long end = now + TimeUnit.SECONDS.toNanos(60);
    while (now < end) {
      now = Math.max(now + 1, wire.wakeAtNanos);
      poller.wake();
    }

    assertThat(counts.requests()).isBetween(20L, 40L);
  }

  @Test
  void meterWithAnErrorIsPolledRarely() {
    poller.setTargets(Optional.of(CounterTargets.of(Map.of(), Map.of(7L, 1L))));
    exchange.refused(askedXid()); // That of the port.
    int before = wire.sent.size();
    exchange.refused(askedXid());

    assertThat(counts.refusals()).isEqualTo(2);
    assertThat(wire.sent).hasSize(before);
    assertThat(wire.wakeAtNanos - now).isGreaterThan(900 * MILLI);
  }

  @Test
  void nothingIsPolledOnceReadingStops() throws Exception {
    poller.setTargets(Optional.empty());
    reply(SwitchMessages.port(askedXid(), 5, 1000, 10, false));
    now += TimeUnit.SECONDS.toNanos(10);
    poller.wake();

    assertThat(wire.sent).hasSize(1);
  }

  @Test
  void firstReadingAfterAPauseIsABaseline() throws Exception {
    reply(SwitchMessages.port(askedXid(), 5, 1000, 10, false));
    poller.setTargets(Optional.empty());
    now += TimeUnit.SECONDS.toNanos(10);
    poller.setTargets(Optional.of(CounterTargets.of(Map.of(5L, 0L), Map.of())));
    reply(SwitchMessages.port(askedXid(), 5, 9000, 10_010, false));

    assertThat(listener.ports).isEmpty();
  }

  @Test
  void expectedLengthsMatchMessages() {
    assertThat(SwitchMessages.bytes(SwitchMessages.port(1, 7, 1, 1, false)))
        .hasSize((int) PollRequest.Kind.PORT.replyBytes(1))
        .hasSize(128);
    assertThat(SwitchMessages.bytes(SwitchMessages.meter(1, 7, 1, 1)))
        .hasSize((int) PollRequest.Kind.METER.replyBytes(1))
        .hasSize(72);
    for (PollRequest.Kind kind : PollRequest.Kind.values()) {
      for (PollRequest request : List.of(new PollRequest(kind, 7), PollRequest.forAll(kind))) {
        assertThat(SwitchMessages.bytes(Messages.statistics(request, 1)))
            .hasSize(PollRequest.REQUEST_BYTES);
      }
    }
  }

  @Test
  void replyOfTheOtherKindSaysNothing() throws Exception {
    reply(SwitchMessages.meter(askedXid(), 5, 10, 10));
    sleep();
    reply(SwitchMessages.meter(askedXid(), 5, 14, 110));

    assertThat(listener.ports).isEmpty();
    assertThat(counts.replies()).isEqualTo(2);
  }
}

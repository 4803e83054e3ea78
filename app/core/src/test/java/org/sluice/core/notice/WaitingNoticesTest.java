// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.notice;

import static org.assertj.core.api.Assertions.assertThat;
import static org.sluice.core.testing.Samples.endpointId;

import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.sluice.api.IpAddress;
import org.sluice.api.PortId;
import org.sluice.api.link.Notice;

class WaitingNoticesTest {
  private static final PortId PORT = PortId.parse("of:0000000000000001/5");
  private static final PortId OTHER = PortId.parse("of:0000000000000002/5");
  private static final long PERIOD = 5_000_000;

  private final AtomicLong nowNanos = new AtomicLong();
  private final WaitingNotices waiting = new WaitingNotices(nowNanos::get);

  private static Notice notice(String endpoint, PortId port, double marks, double packets) {
    return notice(endpoint, port, marks, packets, 12_000_000, "10.0.0.5");
  }

  private static Notice notice(
      String endpoint, PortId port, double marks, double packets, long share, String destination) {
    return Notice.of(
        port,
        endpointId(endpoint),
        marks,
        PERIOD,
        share,
        50_000_000,
        Set.of(IpAddress.parse(destination)),
        packets);
  }

  private List<Notice> taken() {
    return waiting.take().stream().map(due -> due.notice).collect(Collectors.toList());
  }

  @Test
  void onlyTheFirstAddedNoticeRequestsADrain() {
    assertThat(waiting.add(1, List.of())).isFalse();
    assertThat(waiting.add(1, List.of(notice("h1/vm0", PORT, 1, 10)))).isTrue();
    assertThat(waiting.add(1, List.of(notice("h2/vm0", PORT, 1, 10)))).isFalse();

    assertThat(taken()).hasSize(2);
    assertThat(taken()).isEmpty();
    assertThat(waiting.add(1, List.of(notice("h1/vm0", PORT, 1, 10)))).isTrue();
  }

  @Test
  void noticesOfTheSameEndpointAndPortAreMerged() {
    waiting.add(1, List.of(notice("h1/vm0", PORT, 2.5, 40, 12_000_000, "10.0.0.5")));
    waiting.add(1, List.of(notice("h1/vm0", PORT, 0.5, 60, 13_000_000, "10.0.0.6")));

    assertThat(taken())
        .containsExactly(
            Notice.of(
                PORT,
                endpointId("h1/vm0"),
                3,
                2 * PERIOD,
                13_000_000,
                50_000_000,
                Set.of(IpAddress.parse("10.0.0.6")),
                100));
  }

  @Test
  void noticesOfOtherEndpointsAndPortsKeepTheirOrder() {
    Notice first = notice("h1/vm0", PORT, 1, 10);
    Notice second = notice("h2/vm0", PORT, 2, 10);
    Notice third = notice("h1/vm0", OTHER, 3, 10);
    waiting.add(1, List.of(first, second, third));
    waiting.add(1, List.of(second));

    assertThat(taken().stream().map(Notice::marks)).containsExactly(1.0, 4.0, 3.0);
  }

  @Test
  void unknownPacketCountStaysUnknown() {
    waiting.add(1, List.of(notice("h1/vm0", PORT, 1, 0)));
    waiting.add(1, List.of(notice("h1/vm0", PORT, 2, 10)));

    assertThat(taken()).extracting(Notice::packets).containsExactly(0.0);
  }

  @Test
  void newTermDiscardsQueuedNoticesOfThePreviousOne() {
    waiting.add(1, List.of(notice("h1/vm0", PORT, 1, 10)));
    waiting.add(2, List.of(notice("h1/vm0", PORT, 2, 20)));

    List<WaitingNotices.Due> taken = waiting.take();
    assertThat(taken).hasSize(1);
    assertThat(taken.get(0).term).isEqualTo(2);
    assertThat(taken.get(0).notice.marks()).isEqualTo(2);
  }

  @Test
  void drainOverdueByASecondIsReportedStuck() {
    assertThat(waiting.haveWaitedLong()).isFalse();
    nowNanos.set(7);
    waiting.add(1, List.of(notice("h1/vm0", PORT, 1, 10)));
    nowNanos.addAndGet(WaitingNotices.LONG_NANOS);
    waiting.add(1, List.of(notice("h1/vm0", PORT, 1, 10)));
    assertThat(waiting.haveWaitedLong()).isFalse();
    nowNanos.addAndGet(1);
    assertThat(waiting.haveWaitedLong()).isTrue();

    waiting.take();
    assertThat(waiting.haveWaitedLong()).isFalse();
  }
}

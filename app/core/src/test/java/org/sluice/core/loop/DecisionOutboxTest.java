// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.loop;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.sluice.api.HostId;
import org.sluice.api.PortId;
import org.sluice.api.link.DownlinkMessage;
import org.sluice.api.link.Notice;
import org.sluice.api.link.UnitShare;
import org.sluice.core.profile.CeilingParts;
import org.sluice.core.testing.FakeLink;
import org.sluice.core.testing.Samples;
import org.sluice.engine.control.NoticeDraft;

class DecisionOutboxTest {
  private static final HostId H1 = HostId.of("h1");
  private static final HostId H2 = HostId.of("h2");
  private static final PortId P1 = PortId.parse("of:0000000000000001/5");
  private static final PortId P2 = PortId.parse("of:0000000000000002/1");

  private final FakeLink link = new FakeLink();
  private final DecisionOutbox outbox =
      new DecisionOutbox(
          link,
          (host, term, notices) -> link.send(host, term, DownlinkMessage.ofNotices(notices)),
          new CeilingParts(),
          port -> port.datapath().endsWith("1") ? 10 : 20);

  private static UnitShare share(PortId port) {
    return UnitShare.of(port, 1, 2, 3, false, List.of());
  }

  private static NoticeDraft draftOf(Notice notice) {
    return new NoticeDraft() {
      @Override
      public PortId port() {
        return notice.port();
      }

      @Override
      public Notice toNotice() {
        return notice;
      }
    };
  }

  @Test
  void sendsOneMessagePerHostKindAndTerm() {
    UnitShare first = share(P1);
    UnitShare second = share(PortId.parse("of:0000000000000001/6"));
    UnitShare other = share(P2);
    Notice notice = Notice.of(P1, Samples.endpointId("h2/vm0"), 1, 2, 3, 4, Set.of());
    outbox.unitShare(H1, first);
    outbox.unitShare(H1, other);
    outbox.unitShare(H1, second);
    outbox.notice(H2, draftOf(notice));
    assertThat(link.sent).isEmpty();

    outbox.flush();

    assertThat(link.sent).hasSize(3);
    assertThat(link.sent)
        .anySatisfy(
            sent -> {
              assertThat(sent.host).isEqualTo(H1);
              assertThat(sent.term).isEqualTo(10);
              assertThat(sent.message)
                  .isEqualTo(DownlinkMessage.ofUnitShares(List.of(first, second)));
            })
        .anySatisfy(
            sent -> {
              assertThat(sent.term).isEqualTo(20);
              assertThat(sent.message).isEqualTo(DownlinkMessage.ofUnitShares(List.of(other)));
            })
        .anySatisfy(
            sent -> {
              assertThat(sent.host).isEqualTo(H2);
              assertThat(sent.message).isEqualTo(DownlinkMessage.ofNotices(List.of(notice)));
            });
  }

  @Test
  void flushSendsEachDecisionOnce() {
    outbox.unitShare(H1, share(P1));
    outbox.flush();
    outbox.flush();

    assertThat(link.sent).hasSize(1);
  }
}

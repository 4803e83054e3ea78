// SPDX-License-Identifier: Apache-2.0
package org.sluice.lab.onos.openflow.group;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.onosproject.core.GroupId;
import org.onosproject.openflow.controller.Dpid;
import org.projectfloodlight.openflow.protocol.OFFactories;
import org.projectfloodlight.openflow.protocol.OFFactory;
import org.projectfloodlight.openflow.protocol.OFGroupDescStatsReply;
import org.projectfloodlight.openflow.protocol.OFGroupStatsReply;
import org.projectfloodlight.openflow.protocol.OFGroupType;
import org.projectfloodlight.openflow.protocol.OFVersion;
import org.projectfloodlight.openflow.types.OFGroup;

class GroupRepliesTest {

  private static final OFFactory FACTORY = OFFactories.getFactory(OFVersion.OF_13);
  private static final Dpid SWITCH = new Dpid(1);

  private final GroupReplies replies = new GroupReplies();

  @Test
  void groupsAreCompleteWithTheSecondReplyInEitherOrder() {
    replies.begin(SWITCH, 10, 11);
    assertNull(replies.take(SWITCH, counters(10)));
    assertEquals(1, replies.take(SWITCH, descriptions(11)).size());

    replies.begin(SWITCH, 12, 13);
    assertNull(replies.take(SWITCH, descriptions(13)));
    assertEquals(new GroupId(7), replies.take(SWITCH, counters(12)).iterator().next().id());
  }

  @Test
  void aReplyToAnEarlierPollIsIgnored() {
    replies.begin(SWITCH, 10, 11);
    replies.begin(SWITCH, 12, 13);
    assertNull(replies.take(SWITCH, counters(10)));
    assertNull(replies.take(SWITCH, descriptions(13)));
  }

  private static OFGroupStatsReply counters(long xid) {
    return FACTORY.buildGroupStatsReply().setXid(xid).setEntries(List.of()).build();
  }

  private static OFGroupDescStatsReply descriptions(long xid) {
    return FACTORY
        .buildGroupDescStatsReply()
        .setXid(xid)
        .setEntries(
            List.of(
                FACTORY
                    .buildGroupDescStatsEntry()
                    .setGroupType(OFGroupType.SELECT)
                    .setGroup(OFGroup.of(7))
                    .setBuckets(List.of())
                    .build()))
        .build();
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.sluice.lab.onos.openflow.group;

import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import org.onosproject.net.group.Group;
import org.onosproject.openflow.controller.Dpid;
import org.projectfloodlight.openflow.protocol.OFGroupDescStatsReply;
import org.projectfloodlight.openflow.protocol.OFGroupStatsReply;
import org.sluice.lab.onos.openflow.translate.Ids;

/**
 * Brings the two replies of one poll together: what the groups are and what they have counted. The
 * controller hands replies over on several threads, so either may come first.
 */
final class GroupReplies {

  private final Map<Dpid, Poll> polls = new HashMap<>();

  /** Begins a poll of a switch, whose two requests carry these transaction ids. */
  synchronized void begin(Dpid dpid, long countersXid, long descriptionsXid) {
    polls.put(dpid, new Poll(countersXid, descriptionsXid));
  }

  /** Takes a reply; returns all groups when it is the second one of its poll, else null. */
  synchronized Collection<Group> take(Dpid dpid, OFGroupStatsReply counters) {
    Poll poll = polls.get(dpid);
    if (poll == null || poll.countersXid != counters.getXid()) {
      return null;
    }
    poll.counters = counters;
    return groups(dpid, poll);
  }

  /** Takes a reply; returns all groups when it is the second one of its poll, else null. */
  synchronized Collection<Group> take(Dpid dpid, OFGroupDescStatsReply descriptions) {
    Poll poll = polls.get(dpid);
    if (poll == null || poll.descriptionsXid != descriptions.getXid()) {
      return null;
    }
    poll.descriptions = descriptions;
    return groups(dpid, poll);
  }

  private Collection<Group> groups(Dpid dpid, Poll poll) {
    if (poll.counters == null || poll.descriptions == null) {
      return null;
    }
    polls.remove(dpid);
    return ReportedGroups.groups(Ids.device(dpid), poll.descriptions, poll.counters);
  }

  private static final class Poll {

    private final long countersXid;
    private final long descriptionsXid;
    private OFGroupStatsReply counters;
    private OFGroupDescStatsReply descriptions;

    Poll(long countersXid, long descriptionsXid) {
      this.countersXid = countersXid;
      this.descriptionsXid = descriptionsXid;
    }
  }
}

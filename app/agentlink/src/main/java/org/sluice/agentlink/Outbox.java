// SPDX-License-Identifier: Apache-2.0
package org.sluice.agentlink;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.sluice.agentlink.proto.ControllerMessage;
import org.sluice.api.PortId;
import org.sluice.api.link.AuthorityKey;
import org.sluice.api.link.BackgroundQueues;
import org.sluice.api.link.DownlinkMessage;
import org.sluice.api.link.EndpointProfile;
import org.sluice.api.link.FlowAnswer;
import org.sluice.api.link.HostSettings;
import org.sluice.api.link.LinkKey;
import org.sluice.api.link.LossAnswer;
import org.sluice.api.link.Notice;
import org.sluice.api.link.PairMarks;
import org.sluice.api.link.PeerCertificate;
import org.sluice.api.link.PortThresholds;
import org.sluice.api.link.RateCap;
import org.sluice.api.link.Resend;
import org.sluice.api.link.TcpHints;
import org.sluice.api.link.UnitShare;
import org.sluice.api.link.WindowGrant;

/**
 * The messages that wait for one host. Of those that describe a state (settings, profiles, keys,
 * hints, a port's unit share) only the newest waits, so that a slow host receives the present
 * state; notices are events and wait in order. Bounded: the oldest is dropped first, and counted.
 */
final class Outbox {
  static final int MAX_NOTICES = 64;
  static final int MAX_PORTS = 1024;

  private final HostCounters counters;
  private ControllerMessage.Builder welcome;
  private TermedItem<ControllerMessage.Builder> settings;
  private TermedItem<ControllerMessage.Builder> profiles;
  private TermedItem<ControllerMessage.Builder> peerAuthority;
  private final CertificateOutbox certificates;
  private TermedItem<ControllerMessage.Builder> noticeKey;
  private TermedItem<ControllerMessage.Builder> tcpHints;
  private final Map<PortId, TermedItem<UnitShare>> shares = new LinkedHashMap<>();
  private final Deque<TermedItem<List<Notice>>> notices = new ArrayDeque<>();
  private final FlowOutbox flows;
  private final QueueOutbox queues;
  private final MarkOutbox marks;
  private boolean renewal;

  Outbox(HostCounters counters) {
    this.counters = counters;
    this.certificates = new CertificateOutbox(counters);
    this.flows = new FlowOutbox(counters);
    this.queues = new QueueOutbox(counters);
    this.marks = new MarkOutbox(counters);
  }

  synchronized void welcome(String controllerVersion) {
    welcome = ControllerMessageEncoder.welcome(controllerVersion);
  }

  synchronized void add(long term, DownlinkMessage message) {
    message.accept(new Adding(term));
  }

  synchronized void leaseRenewal() {
    renewal = true;
  }

  /** The next message, without node, sequence and lease; null when nothing waits. */
  synchronized ControllerMessage.Builder poll() {
    // Every message renews the lease.
    boolean renewalDue = renewal;
    renewal = false;
    ControllerMessage.Builder next = null;
    if (welcome != null) {
      next = welcome;
      welcome = null;
    } else if (settings != null) {
      next = settings.item;
      settings = null;
    } else if (profiles != null) {
      next = profiles.item;
      profiles = null;
    } else if (peerAuthority != null) {
      next = peerAuthority.item;
      peerAuthority = null;
    } else if (noticeKey != null) {
      next = noticeKey.item;
      noticeKey = null;
    } else {
      // Handshakes wait for windows.
      next = flows.poll();
    }
    if (next == null) {
      next = queues.poll();
    }
    if (next == null) {
      next = marks.poll();
    }
    return next != null ? next : pollLater(renewalDue);
  }

  private ControllerMessage.Builder pollLater(boolean renewalDue) {
    ControllerMessage.Builder next = null;
    if (tcpHints != null) {
      next = tcpHints.item;
      tcpHints = null;
    } else if (!shares.isEmpty()) {
      next = pollShares();
    } else if (!certificates.isEmpty()) {
      next = certificates.poll();
    } else if (!notices.isEmpty()) {
      TermedItem<List<Notice>> oldest = notices.removeFirst();
      next = ControllerMessageEncoder.notices(oldest.term, oldest.item);
    } else if (renewalDue) {
      next = ControllerMessageEncoder.leaseRenewal();
    }
    return next;
  }

  private ControllerMessage.Builder pollShares() {
    ControllerMessage.Builder message = ControllerMessageEncoder.unitShares(shares.values());
    shares.clear();
    return message;
  }

  /** Adds messages of one term, each kind where it waits. Under the outbox's lock. */
  private final class Adding implements DownlinkMessage.Visitor {
    private final long term;

    Adding(long term) {
      this.term = term;
    }

    @Override
    public void settings(HostSettings newest) {
      settings = newer(settings, ControllerMessageEncoder.settings(term, newest));
    }

    @Override
    public void profiles(List<EndpointProfile> newest) {
      profiles = newer(profiles, ControllerMessageEncoder.profiles(term, newest));
    }

    @Override
    public void peerAuthority(List<AuthorityKey> keys) {
      peerAuthority = newer(peerAuthority, ControllerMessageEncoder.peerAuthority(term, keys));
    }

    @Override
    public void peerCertificates(List<PeerCertificate> newest) {
      certificates.add(term, newest);
    }

    @Override
    public void noticeKey(LinkKey key) {
      noticeKey = newer(noticeKey, ControllerMessageEncoder.noticeKey(term, key));
    }

    @Override
    public void unitShares(List<UnitShare> newest) {
      for (UnitShare share : newest) {
        shares.put(share.port(), newer(shares.remove(share.port()), share));
        if (shares.size() > MAX_PORTS) {
          Iterator<PortId> oldest = shares.keySet().iterator();
          oldest.next();
          oldest.remove();
          counters.droppedItems.increment();
        }
      }
    }

    @Override
    public void notices(List<Notice> happened) {
      if (notices.size() == MAX_NOTICES) {
        notices.removeFirst();
        counters.droppedItems.increment();
      }
      notices.addLast(new TermedItem<>(term, happened));
    }

    @Override
    public void windowGrants(List<WindowGrant> newest) {
      flows.grants(term, newest);
    }

    @Override
    public void flowAnswer(FlowAnswer answer) {
      flows.answer(FlowMessageEncoder.flowAnswer(term, answer));
    }

    @Override
    public void lossAnswers(List<LossAnswer> answers) {
      flows.answer(FlowMessageEncoder.lossAnswers(term, answers));
    }

    @Override
    public void resends(List<Resend> resends) {
      flows.answer(FlowMessageEncoder.resends(term, resends));
    }

    @Override
    public void backgroundQueues(BackgroundQueues newest) {
      queues.queues(term, newest);
    }

    @Override
    public void rateCaps(List<RateCap> newest) {
      queues.caps(term, newest);
    }

    @Override
    public void tcpHints(TcpHints newest) {
      tcpHints = newer(tcpHints, HintMessageEncoder.tcpHints(term, newest));
    }

    @Override
    public void returnedMarks(List<PairMarks> newest) {
      marks.returned(newest);
    }

    @Override
    public void undeliveredMarks(List<PairMarks> newest) {
      marks.undelivered(newest);
    }

    @Override
    public void markingThresholds(List<PortThresholds> newest) {
      queues.thresholds(term, newest);
    }

    private <T> TermedItem<T> newer(TermedItem<T> waiting, T coming) {
      return TermedItem.newer(waiting, new TermedItem<>(term, coming), counters);
    }
  }
}

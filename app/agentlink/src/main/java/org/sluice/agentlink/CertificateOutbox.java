// SPDX-License-Identifier: Apache-2.0
package org.sluice.agentlink;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.sluice.agentlink.proto.ControllerMessage;
import org.sluice.api.IpAddress;
import org.sluice.api.link.PeerCertificate;

/**
 * The certificates that wait for one host: the newest of each address. Bounded: the oldest is
 * dropped first, and counted. Not thread-safe.
 */
final class CertificateOutbox {
  /** As many as a host may have addresses. */
  static final int MAX_CERTIFICATES = HostLimits.ADDRESSES;

  /** So that no message is long: 100 bytes each. */
  static final int MAX_IN_A_MESSAGE = 1024;

  private final HostCounters counters;
  private final Map<IpAddress, TermedItem<PeerCertificate>> waiting = new LinkedHashMap<>();

  CertificateOutbox(HostCounters counters) {
    this.counters = counters;
  }

  void add(long term, List<PeerCertificate> newest) {
    for (PeerCertificate certificate : newest) {
      TermedItem<PeerCertificate> before = waiting.remove(certificate.ip());
      waiting.put(
          certificate.ip(),
          TermedItem.newer(before, new TermedItem<>(term, certificate), counters));
      if (waiting.size() > MAX_CERTIFICATES) {
        Iterator<IpAddress> oldest = waiting.keySet().iterator();
        oldest.next();
        oldest.remove();
        counters.droppedItems.increment();
      }
    }
  }

  boolean isEmpty() {
    return waiting.isEmpty();
  }

  /** A message has one term and one public key: those of the oldest. */
  ControllerMessage.Builder poll() {
    TermedItem<PeerCertificate> first = waiting.values().iterator().next();
    List<PeerCertificate> together = new ArrayList<>();
    Iterator<TermedItem<PeerCertificate>> all = waiting.values().iterator();
    while (all.hasNext() && together.size() < MAX_IN_A_MESSAGE) {
      TermedItem<PeerCertificate> one = all.next();
      if (one.term == first.term && one.item.key().equals(first.item.key())) {
        together.add(one.item);
        all.remove();
      }
    }
    return ControllerMessageEncoder.peerCertificates(first.term, first.item.key(), together);
  }
}

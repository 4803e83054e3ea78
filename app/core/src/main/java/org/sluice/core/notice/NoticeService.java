// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.notice;

import java.util.List;
import org.sluice.api.HostId;
import org.sluice.api.link.Notice;

/** Brings notices to hosts, each by the link or in band, never both. */
public interface NoticeService {

  /**
   * Sends notices to a host; returns at once.
   *
   * @param term in which this node decides about their ports
   */
  void send(HostId host, long term, List<Notice> notices);
}

// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.opentcp;

import org.sluice.engine.law.OpenTcpLaw;

/** The fullest of some links, and the drops of all of them together. Used again and again. */
final class LinkSummary {
  private static final int NONE = -1;

  private final GroupTopology topology;
  private final LinkReadings readings;

  /** By link: the summary that has it already. */
  private final int[] seenIn;

  private int summary;
  private int fullest;
  private int unknown;
  private double utilisation;
  private long sent;
  private long dropped;
  private boolean dropsCounted;
  private boolean pathsKnown;

  LinkSummary(GroupTopology topology, LinkReadings readings) {
    this.topology = topology;
    this.readings = readings;
    seenIn = new int[topology.links()];
  }

  void begin() {
    summary++;
    fullest = NONE;
    unknown = NONE;
    utilisation = 0;
    sent = 0;
    dropped = 0;
    dropsCounted = true;
    pathsKnown = true;
  }

  void addAll(boolean fabricOnly) {
    for (int link = 0; link < topology.links(); link++) {
      if (!fabricOnly || topology.isBetweenSwitches(link)) {
        add(link);
      }
    }
  }

  /**
   * Each link counts once, however many paths have it.
   *
   * @param links none: they are not known
   */
  void add(int[] links) {
    pathsKnown &= links.length > 0;
    for (int link : links) {
      add(link);
    }
  }

  private void add(int link) {
    if (seenIn[link] == summary) {
      return;
    }
    seenIn[link] = summary;
    if (!readings.isKnown(link)) {
      unknown = unknown == NONE ? link : unknown;
      return;
    }
    if (fullest == NONE || readings.utilisation(link) > utilisation) {
      fullest = link;
      utilisation = readings.utilisation(link);
    }
    sent += readings.sent(link);
    if (readings.dropped(link) == LinkReadings.NOT_COUNTED) {
      dropsCounted = false;
    } else {
      dropped += readings.dropped(link);
    }
  }

  /** NaN if any link or path is unknown, or there is none. */
  double utilisation() {
    return isKnown() ? utilisation : Double.NaN;
  }

  /** NaN if any link's drops or any path is unknown, or there is no link. */
  double dropRate() {
    return isKnown() && dropsCounted ? OpenTcpLaw.dropRate(dropped, sent) : Double.NaN;
  }

  private boolean isKnown() {
    return unknown == NONE && fullest != NONE && pathsKnown;
  }

  /** The first unknown link, else the fullest; -1 for none. */
  int link() {
    return unknown != NONE ? unknown : fullest;
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.sluice.forwarding.pipeline;

import static java.util.concurrent.TimeUnit.SECONDS;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.sluice.api.IpAddress;
import org.sluice.api.PortId;
import org.sluice.core.registry.ReportedEndpoints;
import org.sluice.core.runtime.Execution;
import org.sluice.core.setting.SettingTable;
import org.sluice.core.setting.Settings;
import org.sluice.core.spi.Mastership;
import org.sluice.core.spi.Switches;
import org.sluice.forwarding.frame.NeighbourMessage;
import org.sluice.forwarding.spi.ForwardingPlatform;
import org.sluice.forwarding.spi.LateSwitchException;
import org.sluice.forwarding.spi.RuleTable;
import org.sluice.forwarding.topology.AttachmentMap;
import org.sluice.forwarding.topology.LinkTopology;

/**
 * Forgets addresses that no agent reports and that have been silent for long, with their rules on
 * every switch. Counters decide: an address to which packets go is kept. One to which none go is
 * probed before it is forgotten, so that a machine which only waits keeps its place. Addresses
 * whose rules are left from before a restart are requested too.
 */
public final class AttachmentAging {
  private static final Logger log = LoggerFactory.getLogger(AttachmentAging.class);
  static final long CHECK_SECONDS = 10;

  /** How often an address is probed before it is forgotten, once with each evaluation. */
  public static final int QUESTIONS = 3;

  /** Of one check; further addresses wait for the next. */
  static final int MOST_QUESTIONS = 256;

  /** Each is requested at every port. */
  static final int MOST_INHERITED = 16;

  private final Switches switches;
  private final Mastership mastership;
  private final RuleTable rules;
  private final EdgePorts edge;
  private final Forwarding forwarding;
  private final AttachmentMap attachments;
  private final ReportedEndpoints endpoints;
  private final Settings settings;
  private final Execution execution;
  private ScheduledExecutorService executor;

  // The executor's thread alone:
  private final Map<IpAddress, Integer> questions = new HashMap<>();
  private int nextInherited;

  /** Does nothing yet. */
  public AttachmentAging(
      ForwardingPlatform platform,
      LinkTopology topology,
      Forwarding forwarding,
      AttachmentMap attachments,
      ReportedEndpoints endpoints,
      Settings settings,
      Execution execution) {
    switches = platform.switches();
    mastership = platform.mastership();
    rules = platform.rules();
    edge = new EdgePorts(platform, topology);
    this.forwarding = forwarding;
    this.attachments = attachments;
    this.endpoints = endpoints;
    this.settings = settings;
    this.execution = execution;
  }

  public void start() {
    attachments.follow(this::isReported);
    executor = execution.sequential("attachments");
    executor.scheduleWithFixedDelay(this::check, CHECK_SECONDS, CHECK_SECONDS, SECONDS);
  }

  public void stop() {
    executor.shutdownNow();
  }

  private boolean isReported(IpAddress ip) {
    return endpoints.holder(ip).isPresent();
  }

  private void check() {
    try {
      if (forwarding.own()) {
        age();
        requestInherited();
      }
    } catch (RuntimeException e) {
      // It would end the repetition.
      log.error("AttachmentMap were not checked for age; retrying at the next interval", e);
    }
  }

  /** One evaluation of all attachments of the switches whose master this node is. */
  public synchronized void age() {
    long ageNanos = TimeUnit.MINUTES.toNanos(settings.get(SettingTable.ATTACHMENT_AGE_MINUTES));
    Map<String, List<IpAddress>> bySwitch = new HashMap<>();
    attachments
        .all()
        .forEach(
            (ip, port) ->
                bySwitch.computeIfAbsent(port.datapath(), d -> new ArrayList<>()).add(ip));
    int asked = 0;
    for (String datapath : switches.connected()) {
      List<IpAddress> here = bySwitch.get(datapath);
      if (here != null && mastership.isLocal(datapath)) {
        if (!count(datapath)) {
          continue;
        }
        for (IpAddress ip : here) {
          asked += age(ip, ageNanos, asked < MOST_QUESTIONS) ? 1 : 0;
        }
      }
    }
    questions.keySet().retainAll(attachments.all().keySet());
  }

  /** Whether the address was probed. */
  private boolean age(IpAddress ip, long ageNanos, boolean mayRequest) {
    long early = SECONDS.toNanos(CHECK_SECONDS * QUESTIONS);
    long silent = isReported(ip) ? 0 : attachments.silentNanos(ip);
    if (silent < ageNanos - early) {
      questions.remove(ip);
      return false;
    }
    if (questions.getOrDefault(ip, 0) >= QUESTIONS) {
      if (silent >= ageNanos) {
        log.info("Removed the attachment of {}: no packet from it or to it", ip);
        questions.remove(ip);
        attachments.forget(ip);
      }
      return false;
    }
    if (mayRequest) {
      questions.merge(ip, 1, Integer::sum);
      attachments.locate(ip).ifPresent(port -> edge.emit(port, NeighbourMessage.probe(ip, port)));
    }
    return mayRequest;
  }

  /** What a switch's routes to its own addresses have counted; whether that is known. */
  private boolean count(String datapath) {
    Collection<? extends RuleTable.Entry> entries;
    try {
      entries = rules.entries(datapath);
    } catch (LateSwitchException e) {
      return false;
    }
    for (RuleTable.Entry entry : entries) {
      entry
          .key()
          .filter(rule -> rule.priority() == Pipeline.ROUTE_PRIORITY)
          .flatMap(rule -> rule.match().ipDst())
          .filter(ip -> attachments.locate(ip).filter(at -> isOn(datapath, at)).isPresent())
          .ifPresent(ip -> attachments.counted(ip, entry.packets()));
    }
    return true;
  }

  private static boolean isOn(String datapath, PortId port) {
    return port.datapath().equals(datapath);
  }

  private void requestInherited() {
    List<IpAddress> inherited = new ArrayList<>(forwarding.inherited());
    Collection<PortId> ports = edge.ours();
    for (int i = 0; i < Math.min(MOST_INHERITED, inherited.size()); i++) {
      IpAddress ip = inherited.get(nextInherited++ % inherited.size());
      ports.stream()
          .filter(edge::isEdge)
          .forEach(port -> edge.emit(port, NeighbourMessage.probe(ip, port)));
    }
  }
}

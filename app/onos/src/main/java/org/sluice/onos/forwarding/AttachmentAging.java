// SPDX-License-Identifier: Apache-2.0
package org.sluice.onos.forwarding;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.onlab.util.Tools.groupedThreads;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.onlab.packet.IpAddress;
import org.onlab.packet.IpPrefix;
import org.onosproject.mastership.MastershipService;
import org.onosproject.net.ConnectPoint;
import org.onosproject.net.Device;
import org.onosproject.net.DeviceId;
import org.onosproject.net.device.DeviceService;
import org.onosproject.net.flow.FlowEntry;
import org.onosproject.net.flow.FlowRuleService;
import org.onosproject.net.flow.criteria.Criterion;
import org.onosproject.net.flow.criteria.IPCriterion;
import org.onosproject.net.packet.PacketService;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Deactivate;
import org.osgi.service.component.annotations.Reference;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.sluice.core.registry.ReportedEndpoints;
import org.sluice.core.setting.SettingTable;
import org.sluice.core.spi.ForwardingState;
import org.sluice.onos.SluiceApplication;
import org.sluice.onos.topology.Attachments;
import org.sluice.onos.topology.OnosTypes;
import org.sluice.onos.topology.TopologyView;

/**
 * Forgets addresses that no agent reports and that have been silent for long, with their rules on
 * every switch. Counters decide: an address to which packets go is kept. One to which none go is
 * probed before it is forgotten, so that a machine which only waits keeps its place. Addresses
 * whose rules are left from before a restart of ONOS are requested too.
 */
@Component(
    immediate = true,
    service = {})
public class AttachmentAging {
  private static final Logger log = LoggerFactory.getLogger(AttachmentAging.class);
  static final long CHECK_SECONDS = 10;

  /** How often an address is probed before it is forgotten, once with each evaluation. */
  static final int QUESTIONS = 3;

  /** Of one check; further addresses wait for the next. */
  static final int MOST_QUESTIONS = 256;

  /** Each is requested at every port. */
  static final int MOST_INHERITED = 16;

  @Reference SluiceApplication application;
  @Reference ForwardingState forwarding;
  @Reference InheritedRoutes inheritedRoutes;
  @Reference TopologyView topology;
  @Reference Attachments attachments;
  @Reference ReportedEndpoints endpoints;
  @Reference DeviceService devices;
  @Reference MastershipService mastership;
  @Reference FlowRuleService flows;
  @Reference PacketService packets;

  private ScheduledExecutorService executor;
  private EdgePorts edge;

  // The executor's thread alone:
  private final Map<IpAddress, Integer> questions = new HashMap<>();
  private int nextInherited;

  @Activate
  void activate() {
    edge = new EdgePorts(devices, mastership, topology, packets);
    attachments.follow(this::isReported);
    executor =
        Executors.newSingleThreadScheduledExecutor(groupedThreads("sluice", "attachments", log));
    executor.scheduleWithFixedDelay(this::check, CHECK_SECONDS, CHECK_SECONDS, SECONDS);
  }

  @Deactivate
  void deactivate() {
    executor.shutdownNow();
  }

  private boolean isReported(IpAddress ip) {
    return endpoints.holder(OnosTypes.ip(ip)).isPresent();
  }

  private void check() {
    try {
      if (forwarding.own()) {
        age();
        requestInherited();
      }
    } catch (RuntimeException e) {
      // It would end the repetition.
      log.error("Attachments were not checked for age; retrying at the next interval", e);
    }
  }

  /** One evaluation of all attachments of the switches whose master this node is. */
  synchronized void age() {
    long ageNanos =
        TimeUnit.MINUTES.toNanos(application.settings().get(SettingTable.ATTACHMENT_AGE_MINUTES));
    Map<DeviceId, List<IpAddress>> byDevice = new HashMap<>();
    attachments
        .all()
        .forEach(
            (ip, port) ->
                byDevice.computeIfAbsent(port.deviceId(), d -> new ArrayList<>()).add(ip));
    int asked = 0;
    for (Device device : devices.getAvailableDevices()) {
      List<IpAddress> here = byDevice.get(device.id());
      if (here != null && mastership.isLocalMaster(device.id())) {
        count(device.id());
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

  /** What a switch's routes to its own addresses have counted. */
  private void count(DeviceId device) {
    for (FlowEntry entry : flows.getFlowEntries(device)) {
      if (entry.appId() == application.id().id() && entry.priority() == Pipeline.ROUTE_PRIORITY) {
        Criterion v4 = entry.selector().getCriterion(Criterion.Type.IPV4_DST);
        Criterion to = v4 != null ? v4 : entry.selector().getCriterion(Criterion.Type.IPV6_DST);
        if (to != null) {
          IpPrefix prefix = ((IPCriterion) to).ip();
          attachments
              .locate(prefix.address())
              .filter(port -> port.deviceId().equals(device))
              .ifPresent(port -> attachments.counted(prefix.address(), entry.packets()));
        }
      }
    }
  }

  private void requestInherited() {
    List<IpAddress> inherited = new ArrayList<>(inheritedRoutes.inherited());
    Collection<ConnectPoint> ports = edge.ours();
    for (int i = 0; i < Math.min(MOST_INHERITED, inherited.size()); i++) {
      IpAddress ip = inherited.get(nextInherited++ % inherited.size());
      ports.stream()
          .filter(edge::isEdge)
          .forEach(port -> edge.emit(port, NeighbourMessage.probe(ip, port)));
    }
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.sluice.onos.doctor;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.onosproject.cluster.NodeId;
import org.onosproject.mastership.MastershipService;
import org.onosproject.net.ConnectPoint;
import org.onosproject.net.Device;
import org.onosproject.net.DeviceId;
import org.onosproject.net.Link;
import org.onosproject.net.Port;
import org.onosproject.net.device.DeviceService;
import org.onosproject.net.flow.FlowRuleService;
import org.onosproject.net.link.LinkService;
import org.onosproject.net.meter.MeterService;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Reference;
import org.sluice.api.PortId;
import org.sluice.api.counters.CounterSource;
import org.sluice.api.counters.SwitchCounters;
import org.sluice.onos.doctor.Condition.PortCondition;
import org.sluice.onos.doctor.Condition.SwitchCondition;
import org.sluice.onos.forwarding.SwitchRules;
import org.sluice.onos.registry.Capacities;
import org.sluice.onos.setting.SettingService;
import org.sluice.onos.topology.ForwardingState;
import org.sluice.onos.topology.OnosTypes;
import org.sluice.onos.topology.TopologyView;

/** The switches that ONOS has a connection to. */
@Component(immediate = true, service = Switches.class)
public class Switches {
  @Reference SettingService settings;
  @Reference DeviceService devices;
  @Reference MastershipService mastership;
  @Reference LinkService links;
  @Reference FlowRuleService flows;
  @Reference MeterService meters;
  @Reference TopologyView topology;
  @Reference ForwardingState forwarding;
  @Reference Capacities capacities;

  /** Who controls them, and how they are read. */
  List<SwitchCondition> conditions(List<SwitchCounters> counters) {
    Map<String, SwitchCounters> byDatapath = byDatapath(counters);
    List<SwitchCondition> conditions = new ArrayList<>();
    for (Device device : devices.getAvailableDevices()) {
      String datapath = device.id().toString();
      Optional<String> master =
          Optional.ofNullable(mastership.getMasterFor(device.id())).map(NodeId::id);
      conditions.add(
          SwitchCondition.of(datapath, master, mastership.isLocalMaster(device.id()))
              .withCounters(Optional.ofNullable(byDatapath.get(datapath))));
    }
    return conditions;
  }

  /** Ports that are up, of switches that are ours. */
  List<PortCondition> ports() {
    List<PortCondition> ports = new ArrayList<>();
    for (Device device : own()) {
      for (Port port : devices.getPorts(device.id())) {
        if (port.isEnabled() && !port.number().isLogical()) {
          ports.add(port(new ConnectPoint(device.id(), port.number())));
        }
      }
    }
    return ports;
  }

  private PortCondition port(ConnectPoint point) {
    PortId id = OnosTypes.port(point);
    Optional<PortId> otherEnd =
        links.getEgressLinks(point).stream()
            .map(Link::dst)
            .filter(end -> end.elementId() instanceof DeviceId)
            .map(OnosTypes::port)
            .findFirst();
    return PortCondition.of(
        id, capacities.capacity(id).map(Capacities.Capacity::bitsPerSecond).orElse(0L), otherEnd);
  }

  /** What is not as it should be with our switches now, and may pass. */
  Set<Trouble> troubles(List<SwitchCounters> counters) {
    Map<String, SwitchCounters> byDatapath = byDatapath(counters);
    Set<Trouble> troubles = new HashSet<>();
    for (Device device : own()) {
      String datapath = device.id().toString();
      if (forwarding.own()) {
        SwitchRules rules = SwitchRules.read(flows, meters, settings.applicationId(), device.id());
        boolean hasLinks =
            topology.interSwitchPorts().stream().anyMatch(p -> p.deviceId().equals(device.id()));
        troubles.addAll(troubles(datapath, rules, hasLinks));
      }
      SwitchCounters read = byDatapath.get(datapath);
      if (settings.parameters().fastCounters()
          && read != null
          && read.source() == CounterSource.SLOW) {
        troubles.add(Trouble.of(Trouble.Kind.SLOW_COUNTERS, datapath));
      }
    }
    return troubles;
  }

  /** What a switch that has taken so much lacks. */
  static Set<Trouble> troubles(String datapath, SwitchRules rules, boolean hasLinks) {
    Set<Trouble> troubles = new HashSet<>();
    if (rules.firstTableRules() == 0) {
      troubles.add(Trouble.of(Trouble.Kind.NO_RULES, datapath));
    } else if (rules.secondTableRules() == 0) {
      troubles.add(Trouble.of(Trouble.Kind.NO_SECOND_TABLE, datapath));
    }
    if (hasLinks && rules.meters() == 0) {
      troubles.add(Trouble.of(Trouble.Kind.NO_METERS, datapath));
    } else if (hasLinks && rules.markRules() == 0) {
      troubles.add(Trouble.of(Trouble.Kind.NO_ECN, datapath));
    }
    rules
        .pendingRules()
        .forEach(id -> troubles.add(Trouble.of(Trouble.Kind.RULE_PENDING, datapath, id)));
    rules
        .pendingMeters()
        .forEach(id -> troubles.add(Trouble.of(Trouble.Kind.METER_PENDING, datapath, id)));
    return troubles;
  }

  private List<Device> own() {
    List<Device> own = new ArrayList<>();
    for (Device device : devices.getAvailableDevices()) {
      if (mastership.isLocalMaster(device.id())) {
        own.add(device);
      }
    }
    return own;
  }

  private static Map<String, SwitchCounters> byDatapath(List<SwitchCounters> counters) {
    return counters.stream().collect(Collectors.toMap(SwitchCounters::datapath, read -> read));
  }
}

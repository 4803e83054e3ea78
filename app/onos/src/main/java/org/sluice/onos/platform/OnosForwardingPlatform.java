// SPDX-License-Identifier: Apache-2.0
package org.sluice.onos.platform;

import java.util.Set;
import org.onosproject.app.ApplicationListener;
import org.onosproject.core.ApplicationId;
import org.onosproject.mastership.MastershipListener;
import org.onosproject.net.device.DeviceListener;
import org.onosproject.net.group.GroupListener;
import org.onosproject.net.host.HostListener;
import org.onosproject.net.link.LinkListener;
import org.onosproject.net.meter.MeterListener;
import org.sluice.api.IpAddress;
import org.sluice.forwarding.spi.ForwardingPlatform;

/** ONOS as forwarding sees it. */
final class OnosForwardingPlatform implements ForwardingPlatform {
  private final OnosServices onos;
  private final Subscriptions subscriptions = new Subscriptions();
  private final OnosSwitches switches;
  private final OnosSwitchEvents switchEvents;
  private final OnosMastership mastership;
  private final OnosHostSightings sightings;
  private final OnosLinks links;
  private final OnosRules rules;
  private final OnosMeters meters;
  private final OnosGroups groups;
  private final OnosPacketIn packetIn;
  private final OnosPacketOut packetOut;
  private final OnosStorage storage;
  private final OnosNodes nodes;
  private final OnosAttachmentStore attachmentStore;
  private final OnosRouteMemory routeMemory;
  private final OnosOtherForwarder otherForwarder;

  OnosForwardingPlatform(OnosServices onos) {
    this.onos = onos;
    ApplicationId application = onos.application.id();
    switches = new OnosSwitches(onos.devices);
    switchEvents = new OnosSwitchEvents(onos.devices);
    mastership = new OnosMastership(onos.mastership);
    sightings = new OnosHostSightings(onos.hosts);
    links = new OnosLinks(onos.links);
    rules = new OnosRules(onos.flows, application);
    meters = new OnosMeters(onos.meters, onos.meterRates, application);
    groups = new OnosGroups(onos.groups, application);
    packetIn = new OnosPacketIn(onos.packets, application);
    packetOut = new OnosPacketOut(onos.packets);
    storage = new OnosStorage(onos.storage);
    nodes = new OnosNodes(onos.cluster);
    attachmentStore = new OnosAttachmentStore(onos.storage, System::currentTimeMillis);
    routeMemory = new OnosRouteMemory(onos.persistence);
    otherForwarder = new OnosOtherForwarder(onos.applications);
  }

  /** Listens to ONOS from now on. */
  void start() {
    subscriptions.add(onos.devices, (DeviceListener) switches::changed);
    subscriptions.add(onos.hosts, (HostListener) sightings::changed);
    subscriptions.add(onos.devices, (DeviceListener) switchEvents::deviceChanged);
    subscriptions.add(onos.mastership, (MastershipListener) switchEvents::mastershipChanged);
    subscriptions.add(onos.mastership, (MastershipListener) event -> mastership.epoch().advance());
    subscriptions.add(onos.links, (LinkListener) event -> links.epoch().advance());
    subscriptions.add(onos.meters, (MeterListener) event -> meters.epoch().advance());
    subscriptions.add(onos.groups, (GroupListener) event -> groups.epoch().advance());
    subscriptions.add(
        onos.applications, (ApplicationListener) event -> otherForwarder.epoch().advance());
  }

  void stop() {
    subscriptions.end();
    attachmentStore.close();
  }

  @Override
  public OnosSwitches switches() {
    return switches;
  }

  @Override
  public OnosSwitchEvents switchEvents() {
    return switchEvents;
  }

  @Override
  public OnosMastership mastership() {
    return mastership;
  }

  @Override
  public OnosHostSightings hostSightings() {
    return sightings;
  }

  @Override
  public OnosLinks links() {
    return links;
  }

  @Override
  public OnosRules rules() {
    return rules;
  }

  @Override
  public OnosMeters meters() {
    return meters;
  }

  @Override
  public OnosGroups groups() {
    return groups;
  }

  @Override
  public OnosPacketIn packetIn() {
    return packetIn;
  }

  @Override
  public OnosPacketOut packetOut() {
    return packetOut;
  }

  @Override
  public OnosStorage storage() {
    return storage;
  }

  @Override
  public OnosNodes nodes() {
    return nodes;
  }

  @Override
  public OnosAttachmentStore attachmentStore() {
    return attachmentStore;
  }

  @Override
  public Set<IpAddress> routeMemory() {
    return routeMemory;
  }

  @Override
  public OnosOtherForwarder otherForwarder() {
    return otherForwarder;
  }
}

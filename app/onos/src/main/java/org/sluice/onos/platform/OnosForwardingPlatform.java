// SPDX-License-Identifier: Apache-2.0
package org.sluice.onos.platform;

import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;
import org.onosproject.core.ApplicationId;
import org.onosproject.event.Event;
import org.onosproject.event.EventListener;
import org.onosproject.event.ListenerService;
import org.sluice.api.IpAddress;
import org.sluice.core.runtime.Execution;
import org.sluice.core.spi.Epoch;
import org.sluice.forwarding.spi.ForwardingPlatform;

/** ONOS as forwarding sees it. */
final class OnosForwardingPlatform implements ForwardingPlatform {
  private final OnosServices onos;
  private final Subscriptions subscriptions;
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

  OnosForwardingPlatform(OnosServices onos, Execution execution) {
    this.onos = onos;
    subscriptions = new Subscriptions(execution);
    ApplicationId application = onos.application.id();
    switches = new OnosSwitches(onos.devices);
    switchEvents = new OnosSwitchEvents(onos.devices);
    mastership =
        new OnosMastership(onos.mastership, onos.devices, onos.cluster.getLocalNode().id());
    sightings = new OnosHostSightings(onos.hosts, execution);
    links = new OnosLinks(onos.links);
    rules = new OnosRules(onos.flows, application, execution);
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
    subscriptions.add(
        onos.devices, switches::changed, handler -> handler::accept, switches.epoch()::advance);
    subscriptions.add(onos.hosts, sightings::changed, handler -> handler::accept, () -> {});
    subscriptions.add(
        onos.devices, switchEvents::deviceChanged, handler -> handler::accept, () -> {});
    subscriptions.add(
        onos.mastership,
        event -> {
          mastership.changed(event);
          switchEvents.mastershipChanged(event);
        },
        handler -> handler::accept,
        mastership::missed);
    mastership.renew();
    subscriptions.regularly(mastership::renew);
    follow(onos.links, links.epoch(), handler -> handler::accept);
    follow(onos.meters, meters.epoch(), handler -> handler::accept);
    follow(onos.groups, groups.epoch(), handler -> handler::accept);
    follow(onos.applications, otherForwarder.epoch(), handler -> handler::accept);
    sightings.start();
  }

  private <E extends Event<?, ?>, L extends EventListener<E>> void follow(
      ListenerService<E, L> service, Epoch epoch, Function<Consumer<E>, L> adapter) {
    subscriptions.add(service, event -> epoch.advance(), adapter, epoch::advance);
  }

  /** Which listeners ONOS may have ended, since they took too long. */
  Optional<String> slowListeners() {
    return subscriptions.slow();
  }

  void stop() {
    sightings.stop();
    rules.stop();
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

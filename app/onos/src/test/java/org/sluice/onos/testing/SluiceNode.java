// SPDX-License-Identifier: Apache-2.0
package org.sluice.onos.testing;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.onosproject.app.ApplicationState;
import org.sluice.onos.SluiceManager;
import org.sluice.onos.forwarding.Forwarding;
import org.sluice.onos.forwarding.NeighbourProxy;
import org.sluice.onos.journal.JournalKeeper;
import org.sluice.onos.notice.NoticeDispatcher;
import org.sluice.onos.registry.EndpointRegistry;
import org.sluice.onos.registry.HostLocations;
import org.sluice.onos.topology.AttachmentMap;
import org.sluice.onos.topology.LinkTopology;

/** Sluice's forwarding components in a world, started and stopped as OSGi would. */
public final class SluiceNode {
  public final OnosWorld world;
  public final FakeLink link = new FakeLink();
  public JournalKeeper journal;
  public SluiceManager manager;
  public LinkTopology topology;
  public AttachmentMap attachments;
  public Forwarding forwarding;
  public EndpointRegistry endpoints;
  public HostLocations locations;
  public NoticeDispatcher notices;
  private final Map<String, Object> properties = new HashMap<>();
  private final List<Object> components = new ArrayList<>();

  public SluiceNode(OnosWorld world) {
    this.world = world;
  }

  /** The application is activated. */
  public SluiceNode start() {
    Wiring wiring = world.wiring;
    journal = new JournalKeeper();
    manager = new SluiceManager();
    topology = new LinkTopology();
    attachments = new AttachmentMap();
    forwarding = new Forwarding();
    endpoints = new EndpointRegistry();
    locations = new HostLocations();
    notices = new NoticeDispatcher();
    wiring.add(link);
    wiring.add(journal);
    Wiring.call(component(manager), "activate", OnosWorld.context(properties));
    for (Object component :
        List.of(
            topology,
            attachments,
            endpoints,
            locations,
            forwarding,
            notices,
            new NeighbourProxy())) {
      Wiring.call(component(component), "activate");
    }
    world.applications.set(SluiceManager.APPLICATION, ApplicationState.ACTIVE);
    return this;
  }

  /** Makes a service known to components that are added from here on. */
  public <T> T provide(T service) {
    return world.wiring.add(service);
  }

  /** Adds a component to those of the node. */
  public <T> T add(T component) {
    Wiring.call(component(component), "activate");
    return component;
  }

  private Object component(Object component) {
    world.wiring.inject(component);
    world.wiring.add(component);
    components.add(0, component);
    return component;
  }

  /** An operator sets a property. */
  public void set(String name, Object value) {
    properties.put(name, value);
    Wiring.call(manager, "modified", OnosWorld.context(properties));
  }

  /** ONOS stops: the components go, the application stays active. */
  public void stop() {
    components.forEach(component -> Wiring.call(component, "deactivate"));
    components.clear();
  }

  /** An operator deactivates the application. */
  public void deactivate() {
    world.applications.set(SluiceManager.APPLICATION, ApplicationState.INSTALLED);
    stop();
  }
}

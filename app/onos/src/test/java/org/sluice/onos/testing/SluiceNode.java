// SPDX-License-Identifier: Apache-2.0
package org.sluice.onos.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.sluice.onos.testing.Waiting.until;

import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.onosproject.app.ApplicationState;
import org.osgi.framework.BundleContext;
import org.osgi.framework.ServiceRegistration;
import org.sluice.api.deadline.FlowAdminService;
import org.sluice.core.journal.NodeJournal;
import org.sluice.core.setting.Topics;
import org.sluice.core.testing.FakeCounters;
import org.sluice.core.testing.FakeLink;
import org.sluice.core.testing.FakeSamples;
import org.sluice.core.testing.KeyFiles;
import org.sluice.onos.SluiceManager;
import org.sluice.onos.forwarding.AttachmentAging;
import org.sluice.onos.forwarding.Forwarding;
import org.sluice.onos.forwarding.NeighbourProxy;
import org.sluice.onos.forwarding.PuntBudget;
import org.sluice.onos.forwarding.SwitchCaps;
import org.sluice.onos.platform.ControllerComponent;
import org.sluice.onos.platform.OnosServices;
import org.sluice.onos.switchflows.SwitchFlows;
import org.sluice.onos.topology.AttachmentMap;
import org.sluice.onos.topology.EdgeProofs;
import org.sluice.onos.topology.LinkTopology;
import org.sluice.onos.topology.ProvenEdge;

/** The whole application in a world, started and stopped as OSGi would. */
public final class SluiceNode {
  public final OnosWorld world;
  public final FakeLink link = new FakeLink();
  public final FakeCounters counters = new FakeCounters();
  public final FakeConfiguration configuration = new FakeConfiguration();
  public final FakeLeadership leadership = new FakeLeadership();
  public SwitchFlows switchFlows = new SwitchFlows();

  /** Added to the clock of what ages in half hours; the whole clock of what counts per second. */
  public final AtomicLong laterNanos = new AtomicLong();

  public SluiceManager manager;
  public EdgeProofs proofs;
  public LinkTopology topology;
  public AttachmentMap attachments;
  public SwitchCaps caps;
  public Forwarding forwarding;
  public AttachmentAging aging;
  private final Map<String, Object> properties = new HashMap<>();
  private final Map<Class<?>, Object> services = new HashMap<>();
  private final List<Object> components = new ArrayList<>();

  public SluiceNode(OnosWorld world) {
    this.world = world;
    leadership.elect(Topics.CLUSTER, OnosWorld.LOCAL);
    for (String file : List.of("agentLinkKey", "agentLinkCertificate", "agentLinkTrust")) {
      properties.put(file, KeyFiles.any());
    }
  }

  /** The application is activated. */
  public SluiceNode start() {
    manager = new SluiceManager();
    topology = new LinkTopology();
    LongSupplier clockNanos = () -> System.nanoTime() + laterNanos.get();
    attachments = new AttachmentMap(clockNanos);
    caps = new SwitchCaps(clockNanos);
    forwarding = new Forwarding(clockNanos);
    aging = new AttachmentAging();
    world.wiring.add(configuration);
    world.wiring.add(leadership);
    world.wiring.add(world.switches);
    Wiring.call(component(manager), "activate", OnosWorld.context(properties));
    proofs = new ProvenEdge();
    component(proofs);
    component(new PuntBudget(laterNanos::get));
    Wiring.call(component(topology), "activate");
    Wiring.call(component(attachments), "activate");
    Wiring.call(component(caps), "activate");
    Wiring.call(component(forwarding), "activate");
    component(new OnosServices());
    Wiring.call(
        component(
            new ControllerComponent(platform -> parameters -> link, counters, new FakeSamples())),
        "activate",
        bundles());
    Wiring.call(component(new NeighbourProxy()), "activate");
    Wiring.call(component(aging), "activate");
    Wiring.call(component(switchFlows), "activate");
    world.applications.set(SluiceManager.APPLICATION, ApplicationState.ACTIVE);
    awaitLink();
    return this;
  }

  /** The link opens on a thread of its own: what hosts report before that waits. */
  private void awaitLink() {
    until(
        () ->
            assertThat(journal().entries(-1, Optional.empty(), 100))
                .anyMatch(entry -> entry.decision().startsWith("Listening for agents")));
  }

  /** A bundle's context that hands services to the components that are added afterwards. */
  private BundleContext bundles() {
    return proxy(
        BundleContext.class,
        (method, arguments) -> {
          Object service = arguments[1];
          services.put((Class<?>) arguments[0], service);
          world.wiring.add(service);
          return proxy(ServiceRegistration.class, (ignored, none) -> null);
        });
  }

  private interface Answer {
    Object to(String method, Object[] arguments);
  }

  private static <T> T proxy(Class<T> type, Answer answer) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (self, method, arguments) ->
                method.getDeclaringClass().equals(Object.class)
                    ? method.invoke(answer, arguments)
                    : answer.to(method.getName(), arguments)));
  }

  /** A service that the application offers. */
  public <T> T service(Class<T> type) {
    return Optional.ofNullable(services.get(type)).map(type::cast).orElseThrow();
  }

  public FlowAdminService flows() {
    return service(FlowAdminService.class);
  }

  public NodeJournal journal() {
    return manager.journal();
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
    components.stream()
        .filter(component -> Wiring.has(component, "deactivate", 0))
        .forEach(component -> Wiring.call(component, "deactivate"));
    components.clear();
  }

  /** An operator deactivates the application. */
  public void deactivate() {
    world.applications.set(SluiceManager.APPLICATION, ApplicationState.INSTALLED);
    stop();
  }
}

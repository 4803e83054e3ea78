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
import org.onosproject.app.ApplicationState;
import org.osgi.framework.BundleContext;
import org.osgi.framework.ServiceRegistration;
import org.sluice.api.deadline.FlowAdminService;
import org.sluice.core.journal.NodeJournal;
import org.sluice.core.testing.FakeCounters;
import org.sluice.core.testing.FakeLink;
import org.sluice.core.testing.FakeSamples;
import org.sluice.core.testing.KeyFiles;
import org.sluice.core.testing.ShiftedExecution;
import org.sluice.forwarding.ForwardingPlane;
import org.sluice.forwarding.pipeline.AttachmentAging;
import org.sluice.forwarding.pipeline.Forwarding;
import org.sluice.forwarding.pipeline.SwitchCaps;
import org.sluice.forwarding.spi.ForwardingPlatform;
import org.sluice.forwarding.testing.NodeUnderTest;
import org.sluice.forwarding.topology.AttachmentMap;
import org.sluice.forwarding.topology.LinkTopology;
import org.sluice.forwarding.topology.ProvenEdge;
import org.sluice.onos.SluiceManager;
import org.sluice.onos.platform.ControllerComponent;
import org.sluice.onos.platform.ForwardingComponent;
import org.sluice.onos.platform.OnosServices;
import org.sluice.onos.platform.PlatformAlone;

/** The whole application in a world, started and stopped as OSGi would. */
public final class SluiceNode implements NodeUnderTest {
  public final OnosWorld world;
  public final FakeLink link = new FakeLink();
  public final FakeCounters counters = new FakeCounters();
  public final FakeLeadership leadership = new FakeLeadership();

  public SluiceManager manager;
  public ForwardingComponent plane;
  public ProvenEdge proofs;
  public LinkTopology topology;
  public AttachmentMap attachments;
  public SwitchCaps caps;
  public Forwarding forwarding;
  public AttachmentAging aging;
  private final Map<String, Object> properties = new HashMap<>();
  private final Map<String, Object> services = new HashMap<>();
  private final List<Object> components = new ArrayList<>();

  public SluiceNode(OnosWorld world) {
    this.world = world;
    for (String file : List.of("agentLinkKey", "agentLinkCertificate", "agentLinkTrust")) {
      properties.put(file, KeyFiles.any());
    }
  }

  @Override
  public SluiceNode start() {
    startServices();
    plane =
        new ForwardingComponent(new ShiftedExecution(world.laterNanos::get), world.laterNanos::get);
    Wiring.call(component(plane), "activate");
    proofs = plane.plane().proofs();
    topology = plane.plane().topology();
    attachments = plane.plane().attachments();
    caps = plane.plane().caps();
    forwarding = plane.plane().forwarding();
    Wiring.call(
        component(
            new ControllerComponent(platform -> parameters -> link, counters, new FakeSamples())),
        "activate",
        bundles());
    aging = plane.plane().aging();
    world.applications.set(SluiceManager.APPLICATION, ApplicationState.ACTIVE);
    awaitLink();
    return this;
  }

  private OnosServices startServices() {
    manager = new SluiceManager();
    world.wiring.add(world.configuration);
    world.wiring.add(leadership);
    world.wiring.add(world.switches);
    Wiring.call(component(manager), "activate", OnosWorld.context(properties));
    OnosServices services = new OnosServices();
    component(services);
    return services;
  }

  /** The link opens on a thread of its own: what hosts report before that waits. */
  private void awaitLink() {
    until(
        () ->
            assertThat(journal().entries(-1, Optional.empty(), 100))
                .anyMatch(entry -> entry.decision().startsWith("Listening for agents")));
  }

  /** A bundle's context that keeps the services that are registered. */
  private BundleContext bundles() {
    return proxy(
        BundleContext.class,
        (method, arguments) -> {
          Object service = arguments[1];
          services.put((String) arguments[0], service);
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

  @Override
  public <T> T service(Class<T> type) {
    return Optional.ofNullable(services.get(type.getName())).map(type::cast).orElseThrow();
  }

  public FlowAdminService flows() {
    return service(FlowAdminService.class);
  }

  @Override
  public NodeJournal journal() {
    return manager.journal();
  }

  @Override
  public OnosWorld fabric() {
    return world;
  }

  @Override
  public ForwardingPlane plane() {
    return plane.plane();
  }

  @Override
  public ForwardingPlatform platform() {
    return PlatformAlone.start(startServices());
  }

  @Override
  public FakeLink link() {
    return link;
  }

  private Object component(Object component) {
    world.wiring.inject(component);
    world.wiring.add(component);
    components.add(0, component);
    return component;
  }

  @Override
  public void set(String name, Object value) {
    properties.put(name, value);
    Wiring.call(manager, "modified", OnosWorld.context(properties));
  }

  @Override
  public void stop() {
    components.stream()
        .filter(component -> Wiring.has(component, "deactivate", 0))
        .forEach(component -> Wiring.call(component, "deactivate"));
    components.clear();
  }

  @Override
  public void deactivate() {
    world.applications.set(SluiceManager.APPLICATION, ApplicationState.INSTALLED);
    stop();
  }
}

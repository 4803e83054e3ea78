// SPDX-License-Identifier: Apache-2.0
package org.sluice.onos.platform;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.osgi.framework.BundleContext;
import org.osgi.framework.ServiceRegistration;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Deactivate;
import org.osgi.service.component.annotations.Reference;
import org.sluice.agentlink.SteadyClock;
import org.sluice.api.SluiceException;
import org.sluice.api.counters.CounterListener;
import org.sluice.api.counters.CounterReader;
import org.sluice.core.link.LinkRunner;
import org.sluice.core.link.LinkServer;
import org.sluice.core.runtime.Execution;
import org.sluice.core.runtime.SystemExecution;
import org.sluice.core.sampling.SampleCollector;
import org.sluice.core.sampling.SflowSampleCollector;
import org.sluice.core.spi.Platform;
import org.sluice.forwarding.ControllerNode;
import org.sluice.forwarding.ForwardingPlane;
import org.sluice.openflow.FastCounters;
import org.sluice.openflow.FastCountersConfig;

/** Runs the controller on ONOS, and offers its services to commands, REST, page and components. */
@Component(
    immediate = true,
    service = {})
public class ControllerComponent {
  @Reference OnosServices onos;
  @Reference ForwardingComponent forwarding;

  private final Function<Platform, LinkServer.Factory> linkFactory;
  private final CounterReader.Factory counterFactory;
  private final SampleCollector.Factory sampleFactory;
  private final List<ServiceRegistration<?>> services = new ArrayList<>();
  private OnosPlatform platform;
  private ControllerNode node;

  public ControllerComponent() {
    this(
        LinkRunner::overTheNetwork, ControllerComponent::readSwitches, SflowSampleCollector::start);
  }

  /** With another link, other counters and other samples, for tests. */
  public ControllerComponent(
      Function<Platform, LinkServer.Factory> linkFactory,
      CounterReader.Factory counterFactory,
      SampleCollector.Factory sampleFactory) {
    this.linkFactory = linkFactory;
    this.counterFactory = counterFactory;
    this.sampleFactory = sampleFactory;
  }

  private static CounterReader readSwitches(int port, CounterListener listener)
      throws SluiceException {
    return FastCounters.start(FastCountersConfig.builder().port(port).build(), listener);
  }

  @Activate
  void activate(BundleContext bundles) {
    ForwardingPlane plane = forwarding.plane();
    Execution execution = new SystemExecution();
    platform = new OnosPlatform(onos, forwarding.platform(), plane, execution);
    node =
        new ControllerNode(
            platform,
            plane,
            onos.application.settings(),
            onos.application.journal(),
            execution,
            SteadyClock::millis,
            linkFactory.apply(platform),
            counterFactory,
            sampleFactory);
    platform.start();
    node.start();
    node.services()
        .forEach(
            (type, service) ->
                services.add(bundles.registerService(type.getName(), service, null)));
  }

  @Deactivate
  void deactivate() {
    services.forEach(ServiceRegistration::unregister);
    services.clear();
    node.stop();
    platform.stop();
  }
}

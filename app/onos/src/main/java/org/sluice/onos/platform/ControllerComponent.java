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
import org.sluice.api.CertificateService;
import org.sluice.api.DoctorService;
import org.sluice.api.EndpointService;
import org.sluice.api.HostAdminService;
import org.sluice.api.HostDirectory;
import org.sluice.api.JournalService;
import org.sluice.api.PortService;
import org.sluice.api.SluiceException;
import org.sluice.api.TenantAdminService;
import org.sluice.api.TenantRateService;
import org.sluice.api.TenantService;
import org.sluice.api.counters.CounterListener;
import org.sluice.api.counters.CounterReader;
import org.sluice.api.counters.CounterService;
import org.sluice.api.deadline.FlowAdminService;
import org.sluice.api.deadline.FlowService;
import org.sluice.api.policy.PolicyService;
import org.sluice.api.queue.QueueService;
import org.sluice.api.topology.TopologyService;
import org.sluice.api.why.ExplanationService;
import org.sluice.core.Controller;
import org.sluice.core.deadline.RegisteredFlows;
import org.sluice.core.link.LinkRunner;
import org.sluice.core.link.LinkServer;
import org.sluice.core.registry.EndpointLocator;
import org.sluice.core.registry.ReportedEndpoints;
import org.sluice.core.runtime.SystemExecution;
import org.sluice.core.sampling.SampleCollector;
import org.sluice.core.sampling.SflowSampleCollector;
import org.sluice.core.spi.Platform;
import org.sluice.onos.SluiceApplication;
import org.sluice.openflow.FastCounters;
import org.sluice.openflow.FastCountersConfig;

/** Runs the controller on ONOS, and offers its services to commands, REST, page and components. */
@Component(
    immediate = true,
    service = {})
public class ControllerComponent {
  @Reference OnosServices onos;
  @Reference SluiceApplication application;

  private final Function<Platform, LinkServer.Factory> linkFactory;
  private final CounterReader.Factory counterFactory;
  private final SampleCollector.Factory sampleFactory;
  private final List<ServiceRegistration<?>> services = new ArrayList<>();
  private OnosPlatform platform;
  private Controller controller;

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
    platform = new OnosPlatform(onos);
    controller =
        new Controller(
            platform,
            application.settings(),
            application.journal(),
            new SystemExecution(),
            SteadyClock::millis,
            linkFactory.apply(platform),
            counterFactory,
            sampleFactory);
    platform.start();
    controller.start();
    offer(bundles, JournalService.class, application.journal());
    offer(bundles, HostDirectory.class, controller.hosts());
    offer(bundles, HostAdminService.class, controller.hostAdmin());
    offer(bundles, CertificateService.class, controller.certificates());
    offer(bundles, EndpointService.class, controller.endpoints());
    offer(bundles, TenantService.class, controller.tenants());
    offer(bundles, TenantAdminService.class, controller.tenants());
    offer(bundles, TenantRateService.class, controller.tenantRates());
    offer(bundles, TopologyService.class, controller.topology());
    offer(bundles, PortService.class, controller.ports());
    offer(bundles, CounterService.class, controller.counters());
    offer(bundles, FlowService.class, controller.flows());
    offer(bundles, FlowAdminService.class, controller.flows());
    offer(bundles, QueueService.class, controller.queues());
    offer(bundles, PolicyService.class, controller.policies());
    offer(bundles, ExplanationService.class, controller.explanations());
    offer(bundles, DoctorService.class, controller.doctor());
    offer(bundles, ReportedEndpoints.class, controller.reportedEndpoints());
    offer(bundles, EndpointLocator.class, controller.locator());
    offer(bundles, RegisteredFlows.class, controller.registeredFlows());
  }

  private <T> void offer(BundleContext bundles, Class<T> type, T service) {
    services.add(bundles.registerService(type, service, null));
  }

  @Deactivate
  void deactivate() {
    services.forEach(ServiceRegistration::unregister);
    services.clear();
    controller.stop();
    platform.stop();
  }
}

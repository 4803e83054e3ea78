// SPDX-License-Identifier: Apache-2.0
package org.sluice.forwarding;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.LongSupplier;
import org.sluice.api.CertificateService;
import org.sluice.api.DoctorService;
import org.sluice.api.EndpointService;
import org.sluice.api.HostAdminService;
import org.sluice.api.HostDirectory;
import org.sluice.api.JournalService;
import org.sluice.api.PortService;
import org.sluice.api.SettingService;
import org.sluice.api.TenantAdminService;
import org.sluice.api.TenantRateService;
import org.sluice.api.TenantService;
import org.sluice.api.cluster.ClusterService;
import org.sluice.api.counters.CounterReader;
import org.sluice.api.counters.CounterService;
import org.sluice.api.deadline.FlowAdminService;
import org.sluice.api.deadline.FlowService;
import org.sluice.api.history.RateHistoryService;
import org.sluice.api.policy.PolicyService;
import org.sluice.api.queue.QueueService;
import org.sluice.api.topology.TopologyService;
import org.sluice.api.why.ExplanationService;
import org.sluice.core.Controller;
import org.sluice.core.journal.NodeJournal;
import org.sluice.core.link.LinkServer;
import org.sluice.core.runtime.Execution;
import org.sluice.core.sampling.SampleCollector;
import org.sluice.core.setting.OperatorSettings;
import org.sluice.core.setting.Settings;
import org.sluice.core.spi.Platform;

/** The controller, with the part of forwarding that follows it, and the services of both. */
public final class ControllerNode {
  private final Controller controller;
  private final ForwardingPlane plane;
  private final NodeJournal journal;
  private final SettingService settings;

  /** A node that is not started yet; see {@link Controller}. */
  public ControllerNode(
      Platform platform,
      ForwardingPlane plane,
      Settings settings,
      NodeJournal journal,
      Execution execution,
      LongSupplier clockMillis,
      LinkServer.Factory linkFactory,
      CounterReader.Factory counterFactory,
      SampleCollector.Factory sampleFactory) {
    this.plane = plane;
    this.journal = journal;
    this.settings = new OperatorSettings(settings, platform.diagnosis());
    controller =
        new Controller(
            platform,
            settings,
            journal,
            execution,
            clockMillis,
            linkFactory,
            counterFactory,
            sampleFactory);
  }

  public void start() {
    controller.start();
    plane.follow(
        controller.reportedEndpoints(), controller.locator(), controller.registeredFlows());
  }

  public void stop() {
    plane.unfollow();
    controller.stop();
  }

  /** What the node offers to commands, REST and page: each service by its interface. */
  public Map<Class<?>, Object> services() {
    Map<Class<?>, Object> services = new LinkedHashMap<>();
    services.put(JournalService.class, journal);
    services.put(HostDirectory.class, controller.hosts());
    services.put(HostAdminService.class, controller.hostAdmin());
    services.put(CertificateService.class, controller.certificates());
    services.put(EndpointService.class, controller.endpoints());
    services.put(TenantService.class, controller.tenants());
    services.put(TenantAdminService.class, controller.tenants());
    services.put(TenantRateService.class, controller.tenantRates());
    services.put(RateHistoryService.class, controller.rateHistory());
    services.put(TopologyService.class, controller.topology());
    services.put(PortService.class, controller.ports());
    services.put(CounterService.class, controller.counters());
    services.put(FlowService.class, controller.flows());
    services.put(FlowAdminService.class, controller.flows());
    services.put(QueueService.class, controller.queues());
    services.put(PolicyService.class, controller.policies());
    services.put(ExplanationService.class, controller.explanations());
    services.put(DoctorService.class, controller.doctor());
    services.put(ClusterService.class, controller.cluster());
    services.put(SettingService.class, settings);
    return services;
  }
}

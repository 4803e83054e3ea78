// SPDX-License-Identifier: Apache-2.0
package org.sluice.onos.doctor;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.onlab.util.Tools.groupedThreads;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import org.osgi.framework.Bundle;
import org.osgi.framework.FrameworkUtil;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Deactivate;
import org.osgi.service.component.annotations.Reference;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.sluice.api.DoctorService;
import org.sluice.api.EndpointService;
import org.sluice.api.Finding;
import org.sluice.api.HostDirectory;
import org.sluice.api.PortService;
import org.sluice.api.TenantService;
import org.sluice.api.counters.CounterService;

/** Looks at everything and asks every question. */
@Component(immediate = true, service = DoctorService.class)
public class Doctor implements DoctorService {
  private static final Logger log = LoggerFactory.getLogger(Doctor.class);
  private static final long LOOK_SECONDS = 5;
  private static final List<Check> CHECKS =
      List.of(
          new ControllerCheck(),
          new SwitchCheck(),
          new CapacityCheck(),
          new HostCheck(),
          new TenantCheck());

  @Reference Surroundings surroundings;
  @Reference Switches switches;
  @Reference CounterService counters;
  @Reference PortService ports;
  @Reference HostDirectory hosts;
  @Reference TenantService tenants;
  @Reference EndpointService endpoints;

  private final Patience patience = new Patience();
  private ScheduledExecutorService executor;

  @Activate
  void activate() {
    executor = Executors.newSingleThreadScheduledExecutor(groupedThreads("sluice", "doctor", log));
    executor.scheduleWithFixedDelay(this::look, 0, LOOK_SECONDS, SECONDS);
  }

  @Deactivate
  void deactivate() {
    executor.shutdownNow();
  }

  private void look() {
    try {
      patience.seen(switches.troubles(counters.switches()), System.nanoTime());
    } catch (RuntimeException e) {
      log.error("Switches were not looked at; the next look comes as usual", e);
    }
  }

  @Override
  public List<Finding> examine() {
    return findings(condition());
  }

  /** What is to be found in a condition, the worst first. */
  static List<Finding> findings(Condition condition) {
    List<Finding> findings = new ArrayList<>();
    CHECKS.forEach(check -> findings.addAll(check.examine(condition)));
    findings.sort(Comparator.comparing(Finding::severity));
    return findings;
  }

  private Condition condition() {
    return surroundings
        .describe(Condition.builder())
        .version(version())
        .switchesAwaited(counters.listenPort().isPresent())
        .switches(switches.conditions(counters.switches()))
        .troubles(patience.lasting(System.nanoTime()))
        .ports(switches.ports())
        .portStatuses(ports.ports())
        .hosts(hosts.hosts())
        .tenants(tenants.tenants())
        .endpoints(endpoints.endpoints())
        .build();
  }

  /** As hosts' agents write it. */
  private static String version() {
    Bundle bundle = FrameworkUtil.getBundle(Doctor.class);
    if (bundle == null) {
      return "";
    }
    return bundle.getVersion().getMajor()
        + "."
        + bundle.getVersion().getMinor()
        + "."
        + bundle.getVersion().getMicro();
  }
}

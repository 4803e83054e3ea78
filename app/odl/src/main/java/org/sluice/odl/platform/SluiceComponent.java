// SPDX-License-Identifier: Apache-2.0
package org.sluice.odl.platform;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.osgi.framework.Bundle;
import org.osgi.framework.BundleContext;
import org.osgi.framework.ServiceRegistration;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Deactivate;
import org.osgi.service.component.annotations.Modified;
import org.osgi.service.component.annotations.Reference;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.sluice.agentlink.SteadyClock;
import org.sluice.core.link.LinkRunner;
import org.sluice.core.runtime.SystemExecution;
import org.sluice.core.sampling.SflowSampleCollector;
import org.sluice.forwarding.ControllerNode;
import org.sluice.forwarding.ForwardingPlane;
import org.sluice.forwarding.NodeSettings;
import org.sluice.odl.line.Mdsal;
import org.sluice.odl.openflow.DirectCounters;

/**
 * The application on OpenDaylight. Its settings are those of {@link
 * org.sluice.core.setting.SettingTable}, in {@code etc/org.sluice.cfg}. One component, so that its
 * end has an order: what was put into switches and hosts goes first, unless the controller stops as
 * a whole and comes back.
 */
@Component(
    immediate = true,
    configurationPid = OdlDiagnosis.PID,
    service = {})
public final class SluiceComponent {
  private static final Logger log = LoggerFactory.getLogger(SluiceComponent.class);
  private static final String HOME = "karaf.home";
  private static final String ETC = "karaf.etc";

  @Reference Mdsal mdsal;

  private final SystemExecution execution = new SystemExecution();
  private final NodeSettings node = new NodeSettings(execution);
  private final List<ServiceRegistration<?>> services = new ArrayList<>();
  private BundleContext bundles;
  private OdlForwardingPlatform parts;
  private OdlPlatform platform;
  private ForwardingPlane plane;
  private ControllerNode controller;

  @Activate
  void activate(BundleContext context, Map<String, ?> properties) {
    bundles = context;
    node.begin(properties::get);
    ConfigurationFile configuration =
        new ConfigurationFile(Path.of(System.getProperty(ETC, "etc"), "sluice.netcfg"));
    parts =
        new OdlForwardingPlatform(
            mdsal, context, Path.of(System.getProperty(HOME, ".")), execution);
    configuration.start(parts.executor());
    plane =
        new ForwardingPlane(parts, node.settings(), node.journal(), execution, System::nanoTime);
    platform = new OdlPlatform(mdsal, execution, parts, plane, configuration, node.settings());
    parts.start();
    platform.start();
    plane.start();
    controller =
        new ControllerNode(
            platform,
            plane,
            node.settings(),
            node.journal(),
            execution,
            SteadyClock::millis,
            LinkRunner.overTheNetwork(platform),
            (port, listener) -> new DirectCounters(mdsal, parts.switches(), execution, listener),
            SflowSampleCollector::start);
    controller.start();
    controller
        .services()
        .forEach(
            (type, service) ->
                services.add(context.registerService(type.getName(), service, null)));
  }

  @Modified
  void modified(Map<String, ?> properties) {
    node.change(properties::get);
  }

  @Deactivate
  void deactivate() {
    boolean removed = bundles.getBundle(0).getState() != Bundle.STOPPING;
    if (removed) {
      node.withdraw();
    }
    services.forEach(ServiceRegistration::unregister);
    services.clear();
    controller.stop();
    plane.stop();
    platform.stop();
    parts.stop();
    if (removed) {
      parts.removeTraces();
    }
    log.info("Stopped");
  }
}

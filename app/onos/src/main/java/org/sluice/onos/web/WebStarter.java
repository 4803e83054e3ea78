// SPDX-License-Identifier: Apache-2.0
package org.sluice.onos.web;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static org.onlab.util.Tools.groupedThreads;

import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.stream.Collectors;
import org.osgi.framework.Bundle;
import org.osgi.framework.BundleContext;
import org.osgi.framework.BundleException;
import org.osgi.framework.Constants;
import org.osgi.framework.InvalidSyntaxException;
import org.osgi.framework.startlevel.FrameworkStartLevel;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Deactivate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Starts the REST and page bundles, which the feature only installs, when it is safe to. */
@Component(
    immediate = true,
    service = {})
public class WebStarter implements StartOrder.Container {
  private static final Logger log = LoggerFactory.getLogger(WebStarter.class);
  private static final long CHECK_MILLIS = 250;
  private static final String SERVLET_CONTEXT = "javax.servlet.ServletContext";

  private static final List<StartOrder.WebBundle> BUNDLES =
      List.of(
          new StartOrder.WebBundle("org.sluice.rest", "/onos/sluice/v1"),
          new StartOrder.WebBundle("org.sluice.web-gui", "/onos/sluice/ui"));

  private ScheduledExecutorService executor;
  private BundleContext context;
  private StartOrder order;

  @Activate
  void activate(BundleContext bundleContext) {
    context = bundleContext;
    order = new StartOrder(this, BUNDLES, System.nanoTime());
    executor =
        Executors.newSingleThreadScheduledExecutor(groupedThreads("sluice", "web-starter", log));
    executor.scheduleWithFixedDelay(this::check, 0, CHECK_MILLIS, MILLISECONDS);
  }

  @Deactivate
  void deactivate() {
    executor.shutdownNow();
  }

  private void check() {
    try {
      if (order.proceed(System.nanoTime())) {
        executor.shutdown();
      }
    } catch (RuntimeException e) {
      log.error("Cannot start the web applications now", e);
    }
  }

  @Override
  public boolean booting() {
    String target = context.getProperty(Constants.FRAMEWORK_BEGINNING_STARTLEVEL);
    int now = context.getBundle(0).adapt(FrameworkStartLevel.class).getStartLevel();
    return target != null && now < Integer.parseInt(target);
  }

  /** Paths of ours that no application serves. */
  public static List<String> missing(BundleContext context) {
    return BUNDLES.stream()
        .map(bundle -> bundle.path)
        .filter(path -> !serves(context, path))
        .collect(Collectors.toList());
  }

  @Override
  public boolean serves(String path) {
    return serves(context, path);
  }

  private static boolean serves(BundleContext context, String path) {
    try {
      return context.getAllServiceReferences(SERVLET_CONTEXT, "(osgi.web.contextpath=" + path + ")")
          != null;
    } catch (InvalidSyntaxException e) {
      throw new IllegalArgumentException(path, e);
    }
  }

  @Override
  public void start(String symbolicName) {
    for (Bundle bundle : context.getBundles()) {
      if (symbolicName.equals(bundle.getSymbolicName())) {
        try {
          // Not kept over a restart: then, too, they wait for us.
          bundle.start(Bundle.START_TRANSIENT);
        } catch (BundleException e) {
          log.error("Cannot start {}", symbolicName, e);
        }
        return;
      }
    }
    log.error("Bundle {} is not installed", symbolicName);
  }
}

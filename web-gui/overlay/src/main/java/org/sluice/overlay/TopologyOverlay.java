// SPDX-License-Identifier: Apache-2.0
package org.sluice.overlay;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static org.onlab.util.Tools.get;
import static org.onlab.util.Tools.groupedThreads;

import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import org.onosproject.cfg.ComponentConfigService;
import org.onosproject.net.link.LinkService;
import org.onosproject.ui.UiExtension;
import org.onosproject.ui.UiExtensionService;
import org.onosproject.ui.UiViewHidden;
import org.osgi.service.component.ComponentContext;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Deactivate;
import org.osgi.service.component.annotations.Modified;
import org.osgi.service.component.annotations.Reference;
import org.osgi.service.component.annotations.ReferenceCardinality;
import org.osgi.service.component.annotations.ReferencePolicy;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.sluice.api.EndpointService;
import org.sluice.api.OverlayService;
import org.sluice.api.PortService;

/**
 * Highlights congested links, and switches with limited endpoints, in every topology view that is
 * open on this node. ONOS need not have a page: where it has none nothing is pushed.
 */
@Component(
    immediate = true,
    service = OverlayService.class,
    property = TopologyOverlay.ENABLED + ":Boolean=false")
public final class TopologyOverlay implements OverlayService {
  static final String ENABLED = "enabled";

  /** ONOS's page takes highlights away 5 s after they came. */
  static final long PUSH_MILLIS = 3_000;

  private static final Logger log = LoggerFactory.getLogger(TopologyOverlay.class);
  private static final String VIEW = "sluiceOverlay";

  private final OpenViews views = new OpenViews();
  private final UiExtension extension =
      new UiExtension.Builder(
              TopologyOverlay.class.getClassLoader(), List.of(new UiViewHidden(VIEW)))
          .messageHandlerFactory(() -> List.of(new TopologyHandler(views, this::push)))
          .ui2()
          .build();

  @Reference(cardinality = ReferenceCardinality.MANDATORY)
  ComponentConfigService configuration;

  @Reference(cardinality = ReferenceCardinality.MANDATORY)
  LinkService links;

  @Reference(cardinality = ReferenceCardinality.MANDATORY)
  PortService ports;

  @Reference(cardinality = ReferenceCardinality.MANDATORY)
  EndpointService endpoints;

  private UiExtensionService page;
  private ScheduledExecutorService executor;
  private volatile boolean enabled;
  private boolean active;

  @Activate
  void activate(ComponentContext context) {
    configuration.registerProperties(getClass());
    start(
        Executors.newSingleThreadScheduledExecutor(groupedThreads("sluice", "overlay", log)),
        isEnabled(context));
  }

  /**
   * Begins.
   *
   * @param pushing one thread, which this stops
   */
  void start(ScheduledExecutorService pushing, boolean on) {
    executor = pushing;
    enabled = on;
    synchronized (this) {
      active = true;
      if (page != null) {
        page.register(extension);
      }
    }
    executor.scheduleAtFixedRate(this::push, PUSH_MILLIS, PUSH_MILLIS, MILLISECONDS);
  }

  @Modified
  void modified(ComponentContext context) {
    follow(isEnabled(context));
  }

  private static boolean isEnabled(ComponentContext context) {
    return Boolean.parseBoolean(get(context.getProperties(), ENABLED));
  }

  void follow(boolean on) {
    boolean ends = enabled && !on;
    enabled = on;
    if (ends) {
      views.send(TopologyHighlights.NONE);
    } else {
      push();
    }
  }

  @Deactivate
  void deactivate() {
    executor.shutdownNow();
    configuration.unregisterProperties(getClass(), false);
    synchronized (this) {
      active = false;
      if (page != null) {
        page.unregister(extension);
      }
    }
    if (enabled) {
      views.send(TopologyHighlights.NONE);
    }
    views.close();
  }

  @Reference(
      cardinality = ReferenceCardinality.OPTIONAL,
      policy = ReferencePolicy.DYNAMIC,
      unbind = "unbindPage")
  synchronized void bindPage(UiExtensionService service) {
    page = service;
    if (active) {
      page.register(extension);
    }
  }

  synchronized void unbindPage(UiExtensionService service) {
    if (page == service) {
      if (active) {
        service.unregister(extension);
      }
      page = null;
    }
  }

  @Override
  public boolean isOn() {
    return enabled;
  }

  @Override
  public void switchTo(boolean on) {
    configuration.setProperty(TopologyOverlay.class.getName(), ENABLED, Boolean.toString(on));
  }

  @Override
  public synchronized boolean hasView() {
    return page != null;
  }

  private void push() {
    if (!enabled || views.isEmpty()) {
      return;
    }
    try {
      views.send(new TopologyHighlights(ports, endpoints).of(links.getActiveLinks()));
    } catch (RuntimeException e) {
      // It would end the repetition.
      log.warn("Highlights were not pushed; the next ones come in {} ms", PUSH_MILLIS, e);
    }
  }
}

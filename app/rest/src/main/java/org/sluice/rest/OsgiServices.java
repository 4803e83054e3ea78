// SPDX-License-Identifier: Apache-2.0
package org.sluice.rest;

import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.osgi.framework.BundleContext;
import org.osgi.framework.BundleEvent;
import org.osgi.framework.FrameworkUtil;
import org.osgi.framework.SynchronousBundleListener;
import org.osgi.util.tracker.ServiceTracker;

/** Services of the OSGi registry. The framework ends the tracking when the bundle stops. */
final class OsgiServices implements Services {
  private final BundleContext context =
      FrameworkUtil.getBundle(OsgiServices.class).getBundleContext();
  private final Map<Class<?>, ServiceTracker<?, ?>> trackers = new ConcurrentHashMap<>();

  @Override
  public <T> Optional<T> find(Class<T> service) {
    return Optional.ofNullable(
        service.cast(trackers.computeIfAbsent(service, this::track).getService()));
  }

  /** Has something done when the bundle stops, before its web application goes. */
  void whenStopping(Runnable action) {
    context.addBundleListener(
        (SynchronousBundleListener)
            event -> {
              if (event.getType() == BundleEvent.STOPPING
                  && event.getBundle().equals(context.getBundle())) {
                action.run();
              }
            });
  }

  private <T> ServiceTracker<T, T> track(Class<T> service) {
    ServiceTracker<T, T> tracker = new ServiceTracker<>(context, service, null);
    tracker.open();
    return tracker;
  }
}

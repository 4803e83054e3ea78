// SPDX-License-Identifier: Apache-2.0
package org.sluice.odl.platform;

import java.util.Optional;
import java.util.stream.Stream;
import org.osgi.framework.Bundle;
import org.osgi.framework.BundleContext;
import org.osgi.framework.BundleEvent;
import org.osgi.framework.BundleListener;
import org.sluice.core.spi.Epoch;
import org.sluice.forwarding.spi.OtherForwarder;

/** Knows the applications of OpenDaylight whose rules would contradict ours. */
final class OdlOtherForwarder implements OtherForwarder, BundleListener {
  /** L2 switch, and the forwarding of OpenStack's networks. */
  private static final String[] NAMES = {"org.opendaylight.l2switch.", "org.opendaylight.netvirt."};

  private final BundleContext context;
  private final Epoch epoch = new Epoch();

  OdlOtherForwarder(BundleContext context) {
    this.context = context;
  }

  void start() {
    context.addBundleListener(this);
  }

  void stop() {
    context.removeBundleListener(this);
  }

  @Override
  public void bundleChanged(BundleEvent event) {
    if (isForwarder(event.getBundle())) {
      epoch.advance();
    }
  }

  private static boolean isForwarder(Bundle bundle) {
    String name = bundle.getSymbolicName();
    return name != null && Stream.of(NAMES).anyMatch(name::startsWith);
  }

  @Override
  public Epoch epoch() {
    return epoch;
  }

  @Override
  public Optional<String> active() {
    return Stream.of(context.getBundles())
        .filter(bundle -> isForwarder(bundle) && bundle.getState() == Bundle.ACTIVE)
        .map(Bundle::getSymbolicName)
        .findFirst();
  }

  @Override
  public String remedy(String name) {
    return "feature:list -i names the feature that " + name + " is of; feature:uninstall it";
  }
}

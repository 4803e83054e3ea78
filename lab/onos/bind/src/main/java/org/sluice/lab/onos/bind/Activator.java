// SPDX-License-Identifier: Apache-2.0
package org.sluice.lab.onos.bind;

import org.osgi.framework.BundleActivator;
import org.osgi.framework.BundleContext;
import org.osgi.framework.hooks.weaving.WeavingHook;

/**
 * Registers what changes classes of ONOS as they are loaded; not declarative components, because
 * loading their classes would request the very hooks that are being made.
 */
public class Activator implements BundleActivator {

  @Override
  public void start(BundleContext context) {
    context.registerService(WeavingHook.class, new ElectionTimeout(), null);
    String address = context.getProperty(OpenFlowAddress.PROPERTY);
    if (address != null) {
      context.registerService(WeavingHook.class, new OpenFlowAddress(address), null);
    }
  }

  @Override
  public void stop(BundleContext context) {}
}

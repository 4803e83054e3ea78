// SPDX-License-Identifier: Apache-2.0
package org.sluice.lab.onos.bind;

import org.osgi.framework.BundleActivator;
import org.osgi.framework.BundleContext;
import org.osgi.framework.hooks.weaving.WeavingHook;

/**
 * Registers {@link OpenFlowAddress}; not a declarative component, because loading its class would
 * ask for the very hook that is being made.
 */
public class Activator implements BundleActivator {

  @Override
  public void start(BundleContext context) {
    String address = context.getProperty(OpenFlowAddress.PROPERTY);
    if (address != null) {
      context.registerService(WeavingHook.class, new OpenFlowAddress(address), null);
    }
  }

  @Override
  public void stop(BundleContext context) {}
}

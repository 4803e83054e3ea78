// SPDX-License-Identifier: Apache-2.0
package org.sluice.cli;

import org.osgi.framework.BundleContext;
import org.osgi.framework.FrameworkUtil;
import org.osgi.framework.ServiceReference;

/** Where commands find services. */
@FunctionalInterface
interface ServiceDirectory {

  /**
   * A service.
   *
   * @throws ServiceNotFoundException if there is none
   */
  <T> T get(Class<T> type);

  /** A service of OSGi's registry. */
  static <T> T registered(Class<T> type) {
    BundleContext bundle = FrameworkUtil.getBundle(ServiceDirectory.class).getBundleContext();
    ServiceReference<T> reference = bundle.getServiceReference(type);
    T service = reference == null ? null : bundle.getService(reference);
    if (service == null) {
      throw new ServiceNotFoundException(type.getName());
    }
    return service;
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.sluice.cli;

/** Nobody offers a service. */
final class ServiceNotFoundException extends RuntimeException {
  ServiceNotFoundException(String name) {
    super(name);
  }
}

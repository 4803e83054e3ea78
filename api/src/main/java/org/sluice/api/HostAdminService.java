// SPDX-License-Identifier: Apache-2.0
package org.sluice.api;

/** Takes hosts out of service. */
public interface HostAdminService {

  /**
   * Has all controller nodes forget a host, its endpoints, and the addresses that these hold, until
   * its agent connects again.
   *
   * @param author a user's name, or what else requests it
   * @throws SluiceException NOT_FOUND if the host is not known; CONFLICT while its agent is
   *     connected; UNAVAILABLE if the cluster cannot be notified
   */
  void retire(HostId host, String author) throws SluiceException;
}

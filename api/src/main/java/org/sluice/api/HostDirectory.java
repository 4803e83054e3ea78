// SPDX-License-Identifier: Apache-2.0
package org.sluice.api;

import java.util.List;
import java.util.Optional;

/** Reads hosts: hypervisors that run the agent. */
public interface HostDirectory {

  /** All hosts that are known, by id. */
  List<Host> hosts();

  Optional<Host> host(HostId id);
}

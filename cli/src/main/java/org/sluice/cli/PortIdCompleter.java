// SPDX-License-Identifier: Apache-2.0
package org.sluice.cli;

import java.util.stream.Stream;
import org.apache.karaf.shell.api.action.lifecycle.Service;
import org.sluice.api.PortService;
import org.sluice.api.PortStatus;
import org.sluice.api.access.Caller;

/** Completes switch ports, for users who see them. */
@Service
public final class PortIdCompleter extends KnownCompleter<PortService> {
  public PortIdCompleter() {
    super(PortService.class);
  }

  @Override
  Stream<?> known(PortService ports, Caller caller) {
    return caller.seesAll() ? ports.ports().stream().map(PortStatus::id) : Stream.empty();
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.sluice.cli;

import java.util.stream.Stream;
import org.apache.karaf.shell.api.action.lifecycle.Service;
import org.sluice.api.Host;
import org.sluice.api.HostDirectory;
import org.sluice.api.access.Caller;

/** Completes hosts, for users who see them. */
@Service
public final class HostIdCompleter extends KnownCompleter<HostDirectory> {
  public HostIdCompleter() {
    super(HostDirectory.class);
  }

  @Override
  Stream<?> known(HostDirectory hosts, Caller caller) {
    return caller.seesAll() ? hosts.hosts().stream().map(Host::id) : Stream.empty();
  }
}

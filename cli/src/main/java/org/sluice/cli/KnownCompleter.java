// SPDX-License-Identifier: Apache-2.0
package org.sluice.cli;

import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.karaf.shell.api.console.CommandLine;
import org.apache.karaf.shell.api.console.Completer;
import org.apache.karaf.shell.api.console.Session;
import org.apache.karaf.shell.support.completers.StringsCompleter;
import org.sluice.api.access.Caller;

/** Completes what a service knows and the user sees. */
abstract class KnownCompleter<T> implements Completer {
  private final Class<T> service;

  KnownCompleter(Class<T> service) {
    this.service = service;
  }

  /** What there is to complete: the shell writes it by its {@code toString}. */
  abstract Stream<?> known(T service, Caller caller);

  @Override
  public final int complete(Session session, CommandLine commandLine, List<String> candidates) {
    List<String> all =
        known(ServiceDirectory.registered(service), ShellLogin.caller())
            .map(Object::toString)
            .collect(Collectors.toList());
    return new StringsCompleter(all).complete(session, commandLine, candidates);
  }
}

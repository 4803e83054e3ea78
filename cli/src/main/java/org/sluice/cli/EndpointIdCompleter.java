// SPDX-License-Identifier: Apache-2.0
package org.sluice.cli;

import java.util.stream.Stream;
import org.apache.karaf.shell.api.action.lifecycle.Service;
import org.sluice.api.Endpoint;
import org.sluice.api.EndpointService;
import org.sluice.api.access.Caller;

/** Completes the endpoints that the user sees. */
@Service
public final class EndpointIdCompleter extends KnownCompleter<EndpointService> {
  public EndpointIdCompleter() {
    super(EndpointService.class);
  }

  @Override
  Stream<?> known(EndpointService endpoints, Caller caller) {
    return endpoints.endpoints().stream().filter(caller::sees).map(Endpoint::id);
  }
}

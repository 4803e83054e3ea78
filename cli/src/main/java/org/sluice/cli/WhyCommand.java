// SPDX-License-Identifier: Apache-2.0
package org.sluice.cli;

import com.fasterxml.jackson.core.JsonProcessingException;
import org.apache.karaf.shell.api.action.Argument;
import org.apache.karaf.shell.api.action.Command;
import org.apache.karaf.shell.api.action.Completion;
import org.apache.karaf.shell.api.action.lifecycle.Service;
import org.sluice.api.Endpoint;
import org.sluice.api.EndpointId;
import org.sluice.api.EndpointService;
import org.sluice.api.SluiceException;
import org.sluice.api.why.Explanation;
import org.sluice.api.why.ExplanationFormat;
import org.sluice.api.why.ExplanationService;

/** Explains what an endpoint gets. */
@Service
@Needs(Permission.SEE_OWN)
@Command(
    scope = "onos",
    name = "sluice-why",
    description =
        "Explains why an endpoint gets no more than it does: what holds it back, on what evidence,"
            + " who else is there, and what would change it")
public final class WhyCommand extends SluiceCommand {
  @Argument(name = "endpoint", description = "Such as h1/vm0", required = true)
  @Completion(EndpointIdCompleter.class)
  private String typed;

  @Override
  void run() throws SluiceException, JsonProcessingException {
    EndpointId id =
        Arguments.parse("endpoint", typed, EndpointId::parse, "Use an endpoint such as h1/vm0");
    Endpoint endpoint =
        service(EndpointService.class)
            .endpoint(id)
            .filter(caller()::sees)
            .orElseThrow(
                () -> SluiceException.notFound("endpoint", typed, "There is no such endpoint"));
    Explanation why = service(ExplanationService.class).why(endpoint, caller());
    if (outputJson()) {
      print(
          "%s",
          mapper()
              .writerWithDefaultPrettyPrinter()
              .writeValueAsString(mapper().readTree(service(ExplanationFormat.class).write(why))));
      return;
    }
    print("%s", why.summary());
    why.lines().forEach(line -> print("  %s", line));
    if (!why.journal().isEmpty()) {
      print("%s", Listings.JOURNAL.table(why.journal()));
    }
  }
}

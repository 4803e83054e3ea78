// SPDX-License-Identifier: Apache-2.0
package org.sluice.cli;

import com.fasterxml.jackson.core.JsonProcessingException;
import java.util.List;
import org.apache.karaf.shell.api.action.Argument;
import org.apache.karaf.shell.api.action.Command;
import org.apache.karaf.shell.api.action.Completion;
import org.apache.karaf.shell.api.action.lifecycle.Service;
import org.sluice.api.Endpoint;
import org.sluice.api.EndpointId;
import org.sluice.api.EndpointService;
import org.sluice.api.JournalEntry;
import org.sluice.api.SluiceException;
import org.sluice.api.deadline.FlowAdminService;
import org.sluice.api.deadline.FlowStatus;
import org.sluice.api.why.Explanation;
import org.sluice.api.why.ExplanationService;
import org.sluice.api.why.FlowExplanation;
import org.sluice.json.ExplanationDto;
import org.sluice.json.FlowExplanationDto;
import org.sluice.json.Json;

/** Explains what an endpoint gets, or how a flow with a deadline fares. */
@Service
@Needs(Permission.SEE_OWN)
@Command(
    scope = ShellPlatform.SCOPE,
    name = "sluice-why",
    description =
        "Explains why an endpoint gets no more than it does, or how a flow with a deadline fares:"
            + " what holds it back, on what evidence, who else is there, and what would change it")
public final class WhyCommand extends SluiceCommand {
  @Argument(
      name = "endpoint or flow",
      description = "An endpoint such as h1/vm0, or the number of a registered flow such as 7",
      required = true,
      multiValued = true)
  @Completion(WhySubjectCompleter.class)
  private List<String> arguments;

  private String typed;

  @Override
  void run() throws SluiceException, JsonProcessingException {
    typed = only(arguments);
    if (typed.chars().allMatch(Character::isDigit)) {
      explainFlow();
    } else {
      explainEndpoint();
    }
  }

  private void explainEndpoint() throws SluiceException, JsonProcessingException {
    EndpointId id =
        Arguments.parse(
            "endpoint",
            typed,
            EndpointId::parse,
            "Use an endpoint such as h1/vm0, or the number of a registered flow");
    Endpoint endpoint =
        service(EndpointService.class)
            .endpoint(id)
            .filter(caller()::sees)
            .orElseThrow(
                () -> SluiceException.notFound("endpoint", typed, "There is no such endpoint"));
    Explanation why = service(ExplanationService.class).why(endpoint, caller());
    if (outputJson()) {
      json(new ExplanationDto(why));
    } else {
      text(why.summary(), why.lines(), why.journal());
    }
  }

  private void explainFlow() throws SluiceException, JsonProcessingException {
    long number = Arguments.parse("flow", typed, Long::parseLong, "sluice-flows lists them");
    FlowStatus flow =
        service(FlowAdminService.class)
            .flow(number)
            .filter(caller()::sees)
            .orElseThrow(
                () -> SluiceException.notFound("flow", typed, "There is no such registration"));
    FlowExplanation why = service(ExplanationService.class).why(flow, caller());
    if (outputJson()) {
      json(new FlowExplanationDto(why));
    } else {
      text(why.summary(), why.lines(), why.journal());
    }
  }

  private void json(Object explanation) throws JsonProcessingException {
    print(
        "%s", mapper().writerWithDefaultPrettyPrinter().writeValueAsString(Json.tree(explanation)));
  }

  private void text(String summary, List<String> lines, List<JournalEntry> journal) {
    print("%s", summary);
    lines.forEach(line -> print("  %s", line));
    if (!journal.isEmpty()) {
      print("%s", Listings.JOURNAL.table(journal));
    }
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.sluice.cli;

import com.fasterxml.jackson.core.JsonProcessingException;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.apache.karaf.shell.api.action.Argument;
import org.apache.karaf.shell.api.action.Command;
import org.apache.karaf.shell.api.action.Option;
import org.apache.karaf.shell.api.action.lifecycle.Service;
import org.sluice.api.EndpointService;
import org.sluice.api.IpAddress;
import org.sluice.api.MilliTime;
import org.sluice.api.SluiceException;
import org.sluice.api.access.Caller;
import org.sluice.api.deadline.DeadlineRequest;
import org.sluice.api.deadline.FlowAdminService;
import org.sluice.api.deadline.FlowDecision;
import org.sluice.api.deadline.FlowKey;

/** Registers a flow with a deadline. */
@Service
@Needs(Permission.REGISTER)
@Command(
    scope = ShellPlatform.SCOPE,
    name = "sluice-flow-add",
    description =
        "Requests a deadline and registers the flow: source and destination with or without port,"
            + " payload such as 400kB, time from now such as 300ms")
public final class FlowAddCommand extends SluiceCommand {
  private static final Map<String, String> FLAG_NAMES = Map.of("-f", "--force");
  private static final List<String> FLAGS = List.of("--force");
  private static final int ARGUMENTS = 4;

  @Argument(
      name = "source destination size due",
      description = "Such as 10.0.0.1 10.0.0.5:5001 400kB 300ms; options may also follow",
      required = true,
      multiValued = true)
  private List<String> arguments;

  @Option(
      name = "-f",
      aliases = "--force",
      description = "Register it even if the deadline cannot be met")
  private boolean force;

  @Override
  void run() throws SluiceException, JsonProcessingException {
    if (arguments.size() < ARGUMENTS) {
      throw SluiceException.invalid(
          "arguments",
          String.join(" ", arguments),
          "A flow is given by source, destination, size and due",
          "Type for example: sluice-flow-add 10.0.0.1 10.0.0.5:5001 400kB 300ms");
    }
    TrailingOptions behind =
        behind(arguments.subList(ARGUMENTS, arguments.size()), FLAG_NAMES, FLAGS);
    boolean forced = force || behind.has("--force");
    FlowKey key = FlowSyntax.flow(arguments.get(0), arguments.get(1));
    long size = FlowSyntax.bytes(arguments.get(2));
    long due = FlowSyntax.nanos(arguments.get(3));
    requireOwnSource(key.source());
    FlowDecision decision =
        service(FlowAdminService.class)
            .by(user.get())
            .register(DeadlineRequest.of(key, size, due, forced));
    if (decision.flow().isEmpty()) {
      throw cannotBeMet(arguments.get(3), decision.admission().earliestNanos());
    }
    show(Listings.FLOWS, List.of(decision.flow().get()));
  }

  /** Refuses a tenant's user a source that is no endpoint of its own, whoever has it. */
  private void requireOwnSource(IpAddress source) throws SluiceException {
    Caller caller = caller();
    if (!caller.changesAll()
        && service(EndpointService.class)
            .endpoint(source)
            .filter(endpoint -> caller.registersDeadlinesOf(endpoint.tenant()))
            .isEmpty()) {
      throw SluiceException.invalid(
          "source",
          source,
          "No endpoint of this user's tenants has this address",
          "Use an address of its own: sluice-endpoints lists them");
    }
  }

  static SluiceException cannotBeMet(String due, OptionalLong earliest) {
    return SluiceException.conflict(
        "due",
        due,
        "The deadline cannot be met",
        earliest.isPresent()
            ? "The earliest that can is "
                + MilliTime.text(earliest.getAsLong())
                + "; --force registers it all the same"
            : "None can: nothing is left to promise; --force registers it all the same");
  }
}

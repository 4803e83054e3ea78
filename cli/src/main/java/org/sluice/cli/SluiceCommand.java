// SPDX-License-Identifier: Apache-2.0
package org.sluice.cli;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.apache.karaf.shell.api.action.Action;
import org.apache.karaf.shell.api.action.Option;
import org.apache.karaf.shell.support.CommandException;
import org.sluice.api.SluiceException;
import org.sluice.api.access.Caller;
import org.sluice.api.cluster.ClusterService;

/**
 * What all of Sluice's commands have in common: who may run them, tables or JSON, and refusals in
 * one line.
 */
abstract class SluiceCommand implements Action {
  private static final ObjectMapper MAPPER = new ObjectMapper();
  private static final List<String> JSON = List.of("-j", "--json");

  /** Where services are found: OSGi's registry, but in a test. */
  ServiceDirectory services = ServiceDirectory::registered;

  /** Finds out who runs the command: the shell's user, but in a test. */
  Supplier<Caller> login = ShellLogin::caller;

  /** Finds out that user's name. */
  Supplier<String> user = ShellLogin::user;

  @Option(name = "-j", aliases = "--json", description = "Output JSON")
  private boolean json;

  private boolean jsonBehind;

  /** Who runs the command. */
  final Caller caller() {
    return login.get();
  }

  /**
   * A service.
   *
   * @throws ServiceNotFoundException if there is none
   */
  final <T> T service(Class<T> type) {
    return services.get(type);
  }

  @Override
  public final Object execute() throws CommandException, JsonProcessingException {
    ShellPlatform.record(services);
    doExecute();
    return null;
  }

  final void doExecute() throws CommandException, JsonProcessingException {
    Needs needs = getClass().getAnnotation(Needs.class);
    Permission permission = needs == null ? Permission.CHANGE_ALL : needs.value();
    if (!permission.isGivenTo(caller())) {
      throw refusal("This user may not run this command. It needs " + permission.roles() + ".");
    }
    try {
      run();
    } catch (SluiceException e) {
      throw failure(outputJson() ? Refusals.json(e).toString() : Refusals.line(e));
    } catch (ServiceNotFoundException e) {
      throw refusal("Sluice is not running. Activate it: " + ShellPlatform.START);
    } catch (FoundException e) {
      throw failure("");
    }
  }

  /**
   * Reads what was typed behind a command's arguments, where Karaf takes everything for more of
   * them. {@code -j} may stand there in every command.
   *
   * @param names every other option with a value or a short name, long by short name
   * @param flags every other option without a value
   */
  final TrailingOptions behind(List<String> typed, Map<String, String> names, List<String> flags)
      throws SluiceException {
    jsonBehind = typed.stream().anyMatch(JSON::contains);
    List<String> all = new ArrayList<>(flags);
    all.addAll(JSON);
    return new TrailingOptions(typed, names, all);
  }

  /** The argument of a command that has one and no options of its own. */
  final String only(List<String> typed) throws SluiceException {
    behind(typed.subList(1, typed.size()), Map.of(), List.of());
    return typed.get(0);
  }

  final boolean outputJson() {
    return json || jsonBehind;
  }

  static ObjectMapper mapper() {
    return MAPPER;
  }

  /** Prints a line. */
  @SuppressWarnings("AnnotateFormatMethod") // by an annotation of Error Prone's own
  static void print(String format, Object... values) {
    System.out.println(String.format(format, values));
  }

  /** Does what the command is for. */
  abstract void run() throws SluiceException, JsonProcessingException;

  /** Shows the rows as a table, or as JSON if so requested. */
  final <T> void show(Listing<T> listing, Collection<T> rows) throws JsonProcessingException {
    if (outputJson()) {
      print("%s", mapper().writerWithDefaultPrettyPrinter().writeValueAsString(listing.json(rows)));
    } else {
      print("%s%s", cutOff(), listing.table(rows));
    }
  }

  /** What a node that is cut off says before everything that it shows; empty: it is not. */
  private String cutOff() {
    try {
      String fault = service(ClusterService.class).storeFault();
      return fault.isEmpty()
          ? ""
          : String.format(
              "The cluster's store does not answer this node: this is what it read last (%s)%n",
              fault);
    } catch (ServiceNotFoundException e) {
      return "";
    }
  }

  /** What is about no field. */
  private CommandException refusal(String line) {
    return failure(outputJson() ? Refusals.json("", "", line, "").toString() : line);
  }

  /** Makes the shell print the line, and nothing else, and the command fail. */
  private static CommandException failure(String line) {
    return new CommandException(line, line);
  }
}

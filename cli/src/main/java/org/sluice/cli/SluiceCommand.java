// SPDX-License-Identifier: Apache-2.0
package org.sluice.cli;

import com.fasterxml.jackson.core.JsonProcessingException;
import java.util.Collection;
import java.util.function.Supplier;
import org.apache.karaf.shell.support.CommandException;
import org.onlab.osgi.ServiceDirectory;
import org.onlab.osgi.ServiceNotFoundException;
import org.onosproject.cli.AbstractShellCommand;
import org.sluice.api.SluiceException;
import org.sluice.api.access.Caller;

/**
 * What all of Sluice's commands have in common: who may run them, tables or JSON, and refusals in
 * one line.
 */
abstract class SluiceCommand extends AbstractShellCommand {
  /** Where services are found: OSGi's registry, but in a test. */
  ServiceDirectory services = AbstractShellCommand::get;

  /** Finds out who runs the command: the shell's user, but in a test. */
  Supplier<Caller> login = ShellLogin::caller;

  /** Finds out that user's name. */
  Supplier<String> user = ShellLogin::user;

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
  protected final void doExecute() throws CommandException, JsonProcessingException {
    Needs needs = getClass().getAnnotation(Needs.class);
    Permission permission = needs == null ? Permission.CHANGE_ALL : needs.value();
    if (!permission.isGivenTo(caller())) {
      throw failure("This user may not run this command. It needs " + permission.roles() + ".");
    }
    try {
      run();
    } catch (SluiceException e) {
      throw failure(outputJson() ? Refusals.json(e).toString() : Refusals.line(e));
    } catch (ServiceNotFoundException e) {
      String line = "Sluice is not running. Activate it: app activate org.sluice";
      throw failure(outputJson() ? Refusals.json("", "", line, "").toString() : line);
    } catch (FoundException e) {
      throw failure("");
    }
  }

  /** Does what the command is for. */
  abstract void run() throws SluiceException, JsonProcessingException;

  /** Shows the rows as a table, or as JSON if so requested. */
  final <T> void show(Listing<T> listing, Collection<T> rows) throws JsonProcessingException {
    if (outputJson()) {
      print("%s", mapper().writerWithDefaultPrettyPrinter().writeValueAsString(listing.json(rows)));
    } else {
      print("%s", listing.table(rows));
    }
  }

  /** Makes the shell print the line, and nothing else, and the command fail. */
  private static CommandException failure(String line) {
    return new CommandException(line, line);
  }
}

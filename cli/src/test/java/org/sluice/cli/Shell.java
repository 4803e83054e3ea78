// SPDX-License-Identifier: Apache-2.0
package org.sluice.cli;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;
import org.apache.felix.gogo.runtime.threadio.ThreadIOImpl;
import org.apache.karaf.shell.api.action.Action;
import org.apache.karaf.shell.api.console.Session;
import org.apache.karaf.shell.impl.action.command.ActionCommand;
import org.apache.karaf.shell.impl.action.command.DefaultActionPreparator;
import org.apache.karaf.shell.impl.action.command.ManagerImpl;
import org.apache.karaf.shell.impl.console.SessionFactoryImpl;
import org.sluice.api.access.Caller;

/** Karaf's shell with commands of ours: lines are typed, and what they print is read. */
final class Shell implements AutoCloseable {
  private final ByteArrayOutputStream printed = new ByteArrayOutputStream();
  private final ThreadIOImpl threads = new ThreadIOImpl();
  private final SessionFactoryImpl factory;
  private final Session session;
  private Set<String> roles = Set.of("admin");

  /** What commands that watch wait by: once, then they are interrupted. */
  ListCommand.Pause pause =
      () -> {
        throw new InterruptedException();
      };

  @SafeVarargs
  Shell(ServiceDirectory services, Class<? extends SluiceCommand>... commands) {
    threads.start();
    factory = new SessionFactoryImpl(threads);
    ManagerImpl manager = new ManagerImpl(factory.getRegistry(), factory.getRegistry());
    for (Class<? extends SluiceCommand> command : commands) {
      factory.getRegistry().register(new OurCommand(manager, command, services));
    }
    PrintStream out = new PrintStream(printed, true, StandardCharsets.UTF_8);
    session = factory.create(new ByteArrayInputStream(new byte[0]), out, out);
  }

  /** Whoever types from now on has these roles. */
  void login(String... names) {
    roles = Set.of(names);
  }

  /** Types a line; returns what is printed. */
  String type(String line) throws Exception {
    printed.reset();
    session.execute(line);
    return printed.toString(StandardCharsets.UTF_8);
  }

  /** What the last line printed, also if it failed. */
  String printed() {
    return printed.toString(StandardCharsets.UTF_8);
  }

  @Override
  public void close() {
    session.close();
    factory.stop();
    threads.stop();
  }

  /** A command with the services and the user of the test. */
  private final class OurCommand extends ActionCommand {
    private final ServiceDirectory services;

    OurCommand(ManagerImpl manager, Class<? extends Action> command, ServiceDirectory services) {
      super(manager, command);
      this.services = services;
    }

    /** As Karaf does it, but for the record of what is typed, which needs the platform. */
    @Override
    public Object execute(Session session, List<Object> arguments) throws Exception {
      SluiceCommand command = (SluiceCommand) createNewAction(session);
      command.services = services;
      command.login = () -> Caller.of(roles::contains);
      command.user = () -> "olga";
      if (command instanceof ListCommand) {
        ((ListCommand) command).pause = pause;
      }
      if (new DefaultActionPreparator().prepare(command, session, arguments)) {
        command.doExecute();
      }
      return null;
    }
  }
}

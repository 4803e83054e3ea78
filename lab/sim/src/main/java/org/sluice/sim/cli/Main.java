// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.cli;

import picocli.CommandLine;

/** Starts the simulator from the command line. */
public final class Main {
  private Main() {}

  /** Ends the process with 0, 1 or 2; see {@link RunCommand}. */
  public static void main(String[] arguments) {
    System.setProperty("java.awt.headless", "true");
    System.exit(commandLine().execute(arguments));
  }

  static CommandLine commandLine() {
    CommandLine commandLine = new CommandLine(new RunCommand());
    commandLine.setExecutionExceptionHandler(new Failures());
    commandLine.setUsageHelpWidth(100);
    return commandLine;
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.cli;

import java.io.IOException;
import org.sluice.sim.scenario.document.ScenarioException;
import picocli.CommandLine;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.IExecutionExceptionHandler;
import picocli.CommandLine.ParseResult;

/** Reports what went wrong: without a stack trace where the user can put it right. */
final class Failures implements IExecutionExceptionHandler {
  @Override
  public int handleExecutionException(
      Exception failure, CommandLine commandLine, ParseResult parsed) {
    if (failure instanceof ScenarioException) {
      commandLine.getErr().println(failure.getMessage());
      return ExitCode.USAGE;
    }
    if (failure instanceof IOException) {
      commandLine.getErr().println("cannot read or write: " + failure.getMessage());
    } else {
      failure.printStackTrace(commandLine.getErr());
    }
    return ExitCode.SOFTWARE;
  }
}

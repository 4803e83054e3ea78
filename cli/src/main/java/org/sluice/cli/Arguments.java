// SPDX-License-Identifier: Apache-2.0
package org.sluice.cli;

import java.util.function.Function;
import org.sluice.api.SluiceException;

/** Arguments as they were typed. */
final class Arguments {

  private Arguments() {}

  /** Reads one by a parser that refuses with {@link IllegalArgumentException}. */
  static <T> T parse(String name, String typed, Function<String, T> parser, String remedy)
      throws SluiceException {
    try {
      return parser.apply(typed);
    } catch (IllegalArgumentException e) {
      String reason = e instanceof NumberFormatException ? "This is not a number" : e.getMessage();
      throw SluiceException.invalid(name, typed, reason, remedy);
    }
  }

  /** Reads a whole number within bounds. */
  static long number(String name, String typed, long least, long most) throws SluiceException {
    String remedy = "Use a whole number from " + least + " to " + most;
    long number = parse(name, typed, Long::valueOf, remedy);
    if (number < least || number > most) {
      throw SluiceException.invalid(name, typed, "This is out of range", remedy);
    }
    return number;
  }
}

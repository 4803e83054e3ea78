// SPDX-License-Identifier: Apache-2.0
package org.sluice.rest;

import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import javax.ws.rs.core.MultivaluedMap;
import javax.ws.rs.core.UriInfo;
import org.sluice.api.SluiceException;

/** The parameters of a query; a wrong one is refused with its name, its value and what would do. */
final class QueryParameters {
  private static final String TRUE = "true";
  private static final Set<String> FLAGS = Set.of(TRUE, "false");

  private final MultivaluedMap<String, String> given;

  QueryParameters(UriInfo uri) {
    this.given = uri.getQueryParameters();
  }

  Optional<String> text(String name) {
    return Optional.ofNullable(given.getFirst(name));
  }

  /** Whether a parameter is true; false without it. */
  boolean flag(String name) throws SluiceException {
    Optional<String> text = text(name);
    if (text.isPresent() && !FLAGS.contains(text.get())) {
      throw SluiceException.invalid(
          name, text.get(), "This parameter is true or false", "Use true or false");
    }
    return text.filter(TRUE::equals).isPresent();
  }

  Optional<Long> number(String name, long least, long most) throws SluiceException {
    Optional<String> text = text(name);
    Optional<Long> number =
        text.flatMap(typed -> Ids.parse(typed, Long::valueOf))
            .filter(value -> value >= least && value <= most);
    if (text.isPresent() && number.isEmpty()) {
      throw SluiceException.invalid(
          name,
          text.get(),
          "This parameter is out of range",
          "Use a whole number from " + least + " to " + most);
    }
    return number;
  }

  /** Reads a parameter by a parser that refuses with {@link IllegalArgumentException}. */
  <T> Optional<T> parsed(String name, Function<String, T> parser, String remedy)
      throws SluiceException {
    Optional<String> text = text(name);
    if (text.isEmpty()) {
      return Optional.empty();
    }
    try {
      return Optional.of(parser.apply(text.get()));
    } catch (IllegalArgumentException e) {
      throw SluiceException.invalid(name, text.get(), e.getMessage(), remedy);
    }
  }
}

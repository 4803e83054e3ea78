// SPDX-License-Identifier: Apache-2.0
package org.sluice.rest;

import java.util.Optional;
import java.util.function.Function;

/** Identifiers in paths. */
final class Ids {

  private Ids() {}

  /** The identifier; nothing if it is malformed, for then nothing can have it. */
  static <T> Optional<T> parse(String text, Function<String, T> parser) {
    try {
      return Optional.of(parser.apply(text));
    } catch (IllegalArgumentException e) {
      return Optional.empty();
    }
  }
}

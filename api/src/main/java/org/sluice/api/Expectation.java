// SPDX-License-Identifier: Apache-2.0
package org.sluice.api;

import java.util.Optional;

/**
 * What somebody who changes a thing takes it to be at that moment. It is checked again whenever a
 * concurrent change came first, so that no change is made to what the author has not seen.
 *
 * @param <T> the thing
 */
@FunctionalInterface
public interface Expectation<T> {

  /**
   * Checks what there is. On any thread; must do nothing else.
   *
   * @param present the thing as it is, if there is one
   * @throws SluiceException of kind STALE if it is not what was expected
   */
  void check(Optional<T> present) throws SluiceException;

  /** Takes whatever there is. */
  static <T> Expectation<T> none() {
    return present -> {};
  }
}

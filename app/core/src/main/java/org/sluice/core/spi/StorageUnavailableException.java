// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.spi;

/** The cluster's storage cannot answer now. */
public final class StorageUnavailableException extends RuntimeException {
  public StorageUnavailableException(Throwable cause) {
    super(cause.toString(), cause);
  }

  /**
   * One that says what to do.
   *
   * @param message what cannot be done, why, and the remedy
   */
  public StorageUnavailableException(String message, Throwable cause) {
    super(message, cause);
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.control;

/** What an endpoint is due at a port, wherever it goes if that is one of several equal ones. */
final class Due {
  static final Due NOTHING = new Due(0, 0);

  final double bitsPerSecond;

  /** The same without floors: less where a guarantee or a promised deadline gives it more. */
  final double byWeightBitsPerSecond;

  Due(double bitsPerSecond, double byWeightBitsPerSecond) {
    this.bitsPerSecond = bitsPerSecond;
    this.byWeightBitsPerSecond = byWeightBitsPerSecond;
  }
}

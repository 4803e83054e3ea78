// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.micro;

import org.sluice.api.PortId;

/** An upstream port's background queue for a downstream port. */
final class Feeder {
  final PortId upstream;
  final PortId downstream;

  /** That the engine has given it; not to be used once it is gone. */
  final int number;

  Feeder(PortId upstream, PortId downstream, int number) {
    this.upstream = upstream;
    this.downstream = downstream;
    this.number = number;
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.sluice.lab.onos.openflow.translate;

/** A criterion or instruction that these stand-ins do not know. */
public final class Unsupported extends RuntimeException {

  private static final long serialVersionUID = 1L;

  Unsupported(Object what) {
    super(what + ": not supported by the lab's OpenFlow providers");
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.sluice.forwarding.spi;

/** What a switch has is not known now: who knows it takes long to answer, or is dead. */
public class LateSwitchException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public LateSwitchException(String datapath) {
    super("what " + datapath + " has is not known yet");
  }
}

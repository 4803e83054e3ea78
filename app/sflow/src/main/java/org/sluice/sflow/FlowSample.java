// SPDX-License-Identifier: Apache-2.0
package org.sluice.sflow;

/** A sampled packet, and where it was sampled. Used again for every sample. */
final class FlowSample {
  /** Data source class of interfaces. */
  static final int INTERFACE_CLASS = 0;

  /** Interface format of an interface, in contrast to reasons for a drop and numbers of copies. */
  static final int SINGLE_INTERFACE = 0;

  /** Class of the data source. */
  int sourceClass;

  /** Index within its class; of an interface its ifIndex. */
  long sourceIndex;

  /** Grows by 1 with every sample of the source. */
  int sequence;

  /** One of so many packets is sampled. */
  long samplingRate;

  /** Packets that were to be sampled and that the switch had no space for, so far. */
  int drops;

  int inputFormat;
  long input;
  int outputFormat;
  long output;

  final SampledPacket packet = new SampledPacket();

  /** Whether it was taken where the packet left the switch. */
  boolean isEgress() {
    return sourceClass == INTERFACE_CLASS
        && outputFormat == SINGLE_INTERFACE
        && sourceIndex == output
        && !(inputFormat == SINGLE_INTERFACE && sourceIndex == input);
  }
}

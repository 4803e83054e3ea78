// SPDX-License-Identifier: Apache-2.0
package org.sluice.sflow;

/** Takes the samples of a datagram, in order. What it is given is valid for the call. */
interface SampleSink {
  void flowSample(FlowSample sample);

  void counterSample(InterfaceCounters counters);

  /** One was skipped, or what follows the last one. */
  void malformedSample(DatagramFault why);
}

// SPDX-License-Identifier: Apache-2.0
package org.sluice.sflow;

/**
 * Takes the samples of a well-formed datagram, in order. What it is given is valid for the call.
 */
interface SampleSink {
  void flowSample(FlowSample sample);

  void counterSample(InterfaceCounters counters);
}

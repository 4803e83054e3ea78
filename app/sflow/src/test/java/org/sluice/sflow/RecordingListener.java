// SPDX-License-Identifier: Apache-2.0
package org.sluice.sflow;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** Writes down what it receives. */
final class RecordingListener implements SflowListener {
  final List<FlowEstimate> flows = new CopyOnWriteArrayList<>();
  final List<InterfaceCounters> counters = new CopyOnWriteArrayList<>();

  @Override
  public void flowsSampled(List<FlowEstimate> estimates) {
    flows.addAll(estimates);
  }

  @Override
  public void interfaceRead(InterfaceCounters read) {
    counters.add(read);
  }

  /** What was received since the last call. */
  List<FlowEstimate> take() {
    List<FlowEstimate> taken = new ArrayList<>(flows);
    flows.clear();
    return taken;
  }
}

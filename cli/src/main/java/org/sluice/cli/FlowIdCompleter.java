// SPDX-License-Identifier: Apache-2.0
package org.sluice.cli;

import java.util.stream.Stream;
import org.apache.karaf.shell.api.action.lifecycle.Service;
import org.sluice.api.SluiceException;
import org.sluice.api.access.Caller;
import org.sluice.api.deadline.FlowAdminService;
import org.sluice.api.deadline.FlowStatus;

/** Completes the numbers of the registered flows that the user sees and that have not ended. */
@Service
public final class FlowIdCompleter extends KnownCompleter<FlowAdminService> {
  public FlowIdCompleter() {
    super(FlowAdminService.class);
  }

  @Override
  Stream<?> known(FlowAdminService flows, Caller caller) {
    try {
      return flows.flows().stream()
          .filter(flow -> !flow.state().isEnded() && caller.sees(flow))
          .map(FlowStatus::id);
    } catch (SluiceException e) {
      return Stream.empty(); // Too busy to answer: then nothing is offered.
    }
  }
}

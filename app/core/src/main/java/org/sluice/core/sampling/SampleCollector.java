// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.sampling;

import java.util.List;
import java.util.function.Consumer;
import org.sluice.api.SluiceException;
import org.sluice.core.micro.SampledFlow;
import org.sluice.core.setting.Parameters;

/** Awaits samples of switches, until it is closed. */
public interface SampleCollector extends AutoCloseable {

  /** Whether it still receives: not after a fault. */
  boolean isListening();

  SampleCounts counts();

  /** After this the sink gets nothing. */
  @Override
  void close();

  /** Starts one. */
  interface Factory {
    /**
     * Awaits samples as the parameters say.
     *
     * @param sink takes what flows have sent, in their order; it does not block
     * @throws SluiceException if the address or port cannot be had
     */
    SampleCollector start(Parameters parameters, Consumer<List<SampledFlow>> sink)
        throws SluiceException;
  }
}

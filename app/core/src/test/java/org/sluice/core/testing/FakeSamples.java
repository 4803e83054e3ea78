// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.testing;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.sluice.api.SluiceException;
import org.sluice.core.micro.SampledFlow;
import org.sluice.core.sampling.SampleCollector;
import org.sluice.core.sampling.SampleCounts;
import org.sluice.core.setting.Parameters;
import org.sluice.core.setting.SettingTable;

/** Switches that sample what a test says. */
public final class FakeSamples implements SampleCollector.Factory {
  /** With which parameters collectors were started, one after the other. */
  public final List<Parameters> opened = new ArrayList<>();

  public SampleCounts counts = SampleCounts.NONE;

  private FakeCollector open;
  private int refusals;

  /** So many times the port cannot be had. */
  public void refuse(int times) {
    refusals = times;
  }

  public boolean isOpen() {
    return open != null;
  }

  /** The collector's socket fails. */
  public void fail() {
    open.isListening = false;
  }

  /** Switches have seen flows. */
  public void report(SampledFlow... flows) {
    open.sink.accept(List.of(flows));
  }

  @Override
  public SampleCollector start(Parameters parameters, Consumer<List<SampledFlow>> sink)
      throws SluiceException {
    if (refusals > 0) {
      refusals--;
      throw SluiceException.conflict(
          "sflowPort",
          parameters.get(SettingTable.SFLOW_PORT),
          "The port is taken",
          "Choose another one");
    }
    if (open != null) {
      throw new IllegalStateException("the former collector is not closed");
    }
    opened.add(parameters);
    open = new FakeCollector(sink);
    return open;
  }

  private final class FakeCollector implements SampleCollector {
    private final Consumer<List<SampledFlow>> sink;
    private boolean isListening = true;

    FakeCollector(Consumer<List<SampledFlow>> sink) {
      this.sink = sink;
    }

    @Override
    public boolean isListening() {
      return isListening;
    }

    @Override
    public SampleCounts counts() {
      return counts;
    }

    @Override
    public void close() {
      open = null;
    }
  }
}

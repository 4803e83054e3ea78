// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.testing;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.sluice.core.spi.OperatorConfiguration;

/** What a platform promises of what an operator writes beside settings. */
public abstract class ConfigurationConformance {
  private static final String NOTHING = "";
  private static final String REFUSED = capacity("of:000000000000000A/5", 70);

  /** The configuration of a node that begins where this stands; empty: nothing. */
  protected abstract OperatorConfiguration begun(String document);

  /** An operator writes this instead, and the node has seen it. */
  protected abstract void write(String document);

  private static String capacity(String port, int megabits) {
    return "{\"ports\": {\"" + port + "\": {\"capacityMbps\": " + megabits + "}}}";
  }

  private static String capacity(int megabits) {
    return capacity(Samples.datapath("s1") + "/5", megabits);
  }

  private static void assertCapacity(OperatorConfiguration configuration, long bitsPerSecond) {
    assertThat(configuration.capacitiesBitsPerSecond())
        .isEqualTo(Map.of(Samples.port("s1/5"), bitsPerSecond));
  }

  @Test
  void whatStandsThereHoldsFromTheStart() {
    OperatorConfiguration configuration = begun(capacity(50));
    assertCapacity(configuration, 50_000_000);
    assertThat(configuration.tenantsEpoch().get()).as("nobody has written").isZero();
  }

  /** An earlier release may have taken what this one refuses. */
  @Test
  void aNodeBeginsWithoutWhatIsRefused() {
    OperatorConfiguration configuration = begun(REFUSED);
    assertThat(configuration.capacitiesBitsPerSecond()).isEmpty();
    write(capacity(50));
    assertCapacity(configuration, 50_000_000);
  }

  @Test
  void eachWritingIsSeenAndEachChangeAdvancesTheEpoch() {
    OperatorConfiguration configuration = begun(NOTHING);
    long[] seen = new long[1];
    configuration
        .epoch()
        .addListener(() -> seen[0] = configuration.capacitiesBitsPerSecond().size());
    write(capacity(50));
    assertThat(seen[0]).as("visible before the epoch advances").isEqualTo(1);
    long epoch = configuration.epoch().get();
    long written = configuration.tenantsEpoch().get();

    write(capacity(50) + " ");
    assertThat(configuration.epoch().get()).isEqualTo(epoch);
    assertThat(configuration.tenantsEpoch().get()).isGreaterThan(written);
    write(NOTHING);
    assertThat(configuration.capacitiesBitsPerSecond()).isEmpty();
    assertThat(configuration.epoch().get()).isGreaterThan(epoch);
  }

  @Test
  void whatIsRefusedLeavesWhatHolds() {
    OperatorConfiguration configuration = begun(capacity(50));
    write(REFUSED);
    assertCapacity(configuration, 50_000_000);
  }
}

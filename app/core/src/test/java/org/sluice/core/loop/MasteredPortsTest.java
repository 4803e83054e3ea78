// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.loop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.sluice.core.testing.Samples.port;

import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.sluice.api.HostId;
import org.sluice.api.PortId;
import org.sluice.core.setting.Topics;
import org.sluice.core.spi.Epoch;
import org.sluice.core.spi.Mastership;
import org.sluice.core.testing.MemoryNetwork;
import org.sluice.core.testing.MemoryNode;

class MasteredPortsTest {
  private static final PortId RECEIVER = PortId.ofReceiver(HostId.of("h5"), "vm0");

  private final MemoryNetwork network = new MemoryNetwork().connect("s1", 5, 6);
  private final MemoryNode node = new MemoryNode(network, "n1");
  private final Counted mastership = new Counted(node.mastership());
  private final MasteredPorts ports =
      new MasteredPorts(mastership, node.leadership(), node.switches(), network.time::wallMillis);

  @BeforeEach
  void start() {
    network.setMaster("s1", "n1");
  }

  @Test
  void mastershipIsQueriedOncePerSwitch() {
    long term = ports.term(port("s1/5"));

    assertThat(ports.term(port("s1/5"))).isEqualTo(term);
    assertThat(ports.term(port("s1/6"))).isEqualTo(term);
    assertThat(mastership.asked).isEqualTo(1);
  }

  @Test
  void eachTakeoverHasItsOwnTerm() {
    long term = ports.term(port("s1/5"));

    network.setMaster("s1", "n2");
    assertThat(ports.decidesAbout(port("s1/5"))).isFalse();
    network.setMaster("s1", "n1");

    assertThat(ports.decidesAbout(port("s1/5"))).isTrue();
    assertThat(ports.term(port("s1/5"))).isGreaterThan(term);
  }

  @Test
  void whatAFormerMasterDecidesLastIsOfItsOwnTerm() {
    long term = ports.term(port("s1/5"));

    network.time.advanceMillis(1000);
    network.setMaster("s1", "n2");

    assertThat(ports.term(port("s1/5"))).isEqualTo(term);
  }

  @Test
  void whatAFormerLeaderDecidesLastIsOfItsOwnTerm() {
    network.elect(Topics.CLUSTER, "n1");
    long term = ports.term(RECEIVER);

    network.time.advanceMillis(1000);
    network.elect(Topics.CLUSTER, "n2");

    assertThat(ports.term(RECEIVER)).isEqualTo(term);
  }

  @Test
  void aConnectedSwitchWithoutAMasterIsNobodys() {
    network.setMaster("s1", null);
    assertThat(ports.decidesAbout(port("s1/5"))).isFalse();
    assertThat(ports.isVacant(port("s1/5"))).isTrue();

    network.setMaster("s1", "n2");

    assertThat(ports.isVacant(port("s1/5"))).isFalse();
  }

  @Test
  void aSwitchThatIsGoneHasNothingToHold() {
    long epoch = ports.epoch();

    network.disconnect("s1");

    assertThat(ports.decidesAbout(port("s1/5"))).isFalse();
    assertThat(ports.isVacant(port("s1/5"))).isFalse();
    assertThat(ports.epoch()).isGreaterThan(epoch);
  }

  @Test
  void receiversWithoutALeaderAreNobodys() {
    network.elect(Topics.CLUSTER, null);
    assertThat(ports.isVacant(RECEIVER)).isTrue();

    network.elect(Topics.CLUSTER, "n2");

    assertThat(ports.isVacant(RECEIVER)).isFalse();
  }

  @Test
  void whoWasNeverInChargeComesBeforeAllWhoWere() {
    network.setMaster("s1", "n2");

    assertThat(ports.term(port("s1/5"))).isBetween(1L, network.time.wallMillis() - 1);
  }

  private static final class Counted implements Mastership {
    private final Mastership real;
    private int asked;

    Counted(Mastership real) {
      this.real = real;
    }

    @Override
    public Epoch epoch() {
      return real.epoch();
    }

    @Override
    public boolean isLocal(String datapath) {
      return real.isLocal(datapath);
    }

    @Override
    public Optional<String> masterOf(String datapath) {
      return real.masterOf(datapath);
    }

    @Override
    public long takeover(String datapath) {
      asked++;
      return real.takeover(datapath);
    }
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.sluice.onos.platform;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.onosproject.cluster.NodeId;
import org.sluice.core.spi.Leadership;
import org.sluice.core.testing.LeadershipConformance;
import org.sluice.onos.testing.FakeLeadership;
import org.sluice.onos.testing.OnosWorld;

class OnosLeadershipTest extends LeadershipConformance {
  private static final String TOPIC = "topic";
  private static final NodeId OTHER = NodeId.nodeId("other");

  private final FakeLeadership onos = new FakeLeadership();
  private final OnosLeadership leadership = new OnosLeadership(onos, OnosWorld.LOCAL);

  /** As the platform does. */
  @BeforeEach
  void listen() {
    onos.addListener(leadership::changed);
  }

  @Override
  protected Leadership leadership() {
    return leadership;
  }

  @Test
  void whoIsElectedElsewhereIsFollowed() {
    assertThat(leadership.isVacant(TOPIC)).isTrue();
    leadership.run(TOPIC);

    onos.elect(TOPIC, OTHER);

    assertThat(leadership.isLocal(TOPIC)).isFalse();
    assertThat(leadership.isVacant(TOPIC)).isFalse();
  }

  @Test
  void withoutTheStoreItIsWhatItWasAndNobodyWaits() {
    leadership.run(TOPIC);

    onos.loseStore();
    leadership.renew();

    assertThat(leadership.isLocal(TOPIC)).isTrue();
    assertThat(leadership.isVacant(TOPIC)).isTrue();
  }

  @Test
  void whomTheStoreForgotStandsForElectionAgain() {
    leadership.run(TOPIC);
    long term = leadership.localTerm(TOPIC).orElseThrow();
    onos.loseStore();
    long epoch = leadership.epoch().get();

    onos.returnStoreEmpty();
    leadership.renew();

    assertThat(leadership.localTerm(TOPIC).orElseThrow()).isGreaterThan(term);
    assertThat(leadership.isVacant(TOPIC)).isFalse();
    assertThat(leadership.epoch().get()).isGreaterThan(epoch);
  }

  @Test
  void aLostEventIsMadeUpFor() {
    leadership.run(TOPIC);
    long epoch = leadership.epoch().get();
    onos.electInSilence(TOPIC, OTHER);

    leadership.renew();

    assertThat(leadership.isLocal(TOPIC)).isFalse();
    assertThat(leadership.epoch().get()).isEqualTo(epoch + 1);
    leadership.renew();
    assertThat(leadership.epoch().get()).isEqualTo(epoch + 1);
  }

  @Test
  void whoWithdrewIsNoCandidateAgain() {
    leadership.run(TOPIC);
    leadership.withdraw(TOPIC);

    leadership.renew();

    assertThat(onos.getLeadership(TOPIC)).isNull();
  }

  @Test
  void topicsOfOthersAreNotFollowed() {
    long epoch = leadership.epoch().get();

    onos.elect("other", OTHER);

    assertThat(leadership.epoch().get()).isEqualTo(epoch);
  }
}

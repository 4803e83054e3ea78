// SPDX-License-Identifier: Apache-2.0
package org.sluice.onos.platform;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.OptionalLong;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.onosproject.cluster.NodeId;
import org.sluice.onos.testing.FakeLeadership;

class OnosLeadershipTest {
  private static final String TOPIC = "topic";
  private static final NodeId LOCAL = NodeId.nodeId("n1");
  private static final NodeId OTHER = NodeId.nodeId("n2");

  private final FakeLeadership onos = new FakeLeadership();
  private final OnosLeadership leadership = new OnosLeadership(onos, LOCAL);

  @BeforeEach
  void start() {
    onos.addListener(leadership::changed);
    leadership.run(TOPIC);
  }

  @Test
  void itLeadsOnceItIsElected() {
    assertThat(leadership.isVacant(TOPIC)).isTrue();

    onos.elect(TOPIC, LOCAL);
    assertThat(leadership.localTerm(TOPIC)).hasValue(1);

    onos.elect(TOPIC, OTHER);
    assertThat(leadership.localTerm(TOPIC)).isEmpty();
    assertThat(leadership.isVacant(TOPIC)).isFalse();
  }

  @Test
  void withoutTheStoreItIsWhatItWasAndNobodyWaits() {
    onos.elect(TOPIC, LOCAL);

    onos.loseStore();

    assertThat(leadership.localTerm(TOPIC)).hasValue(1);
    assertThat(leadership.isVacant(TOPIC)).isTrue();
    leadership.renew();
    assertThat(leadership.localTerm(TOPIC)).hasValue(1);
  }

  @Test
  void whomTheStoreForgotStandsForElectionAgain() {
    onos.elect(TOPIC, LOCAL);
    onos.loseStore();
    onos.candidacies.clear();
    long epoch = leadership.epoch().get();

    onos.returnStoreEmpty();
    leadership.renew();

    assertThat(onos.candidacies).containsExactly(TOPIC);
    assertThat(leadership.localTerm(TOPIC)).isEqualTo(OptionalLong.empty());
    assertThat(leadership.epoch().get()).isGreaterThan(epoch);
  }

  @Test
  void aLostEventIsMadeUpFor() {
    onos.electInSilence(TOPIC, LOCAL);
    long epoch = leadership.epoch().get();

    leadership.renew();

    assertThat(leadership.localTerm(TOPIC)).hasValue(1);
    assertThat(leadership.epoch().get()).isGreaterThan(epoch);
    leadership.renew();
    assertThat(leadership.epoch().get()).isEqualTo(epoch + 1);
  }

  @Test
  void whoWithdrewIsNoCandidateAgain() {
    leadership.withdraw(TOPIC);

    leadership.renew();

    assertThat(onos.candidacies).isEmpty();
  }

  @Test
  void topicsOfOthersAreNotFollowed() {
    long epoch = leadership.epoch().get();

    onos.elect("other", LOCAL);

    assertThat(leadership.localTerm("other")).isEmpty();
    assertThat(leadership.epoch().get()).isEqualTo(epoch);
  }
}

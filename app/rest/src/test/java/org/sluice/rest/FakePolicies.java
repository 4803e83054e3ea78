// SPDX-License-Identifier: Apache-2.0
package org.sluice.rest;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.sluice.api.Expectation;
import org.sluice.api.HostId;
import org.sluice.api.IpPrefix;
import org.sluice.api.SluiceException;
import org.sluice.api.policy.AppliedHint;
import org.sluice.api.policy.GroupHint;
import org.sluice.api.policy.HostHints;
import org.sluice.api.policy.PolicyDecision;
import org.sluice.api.policy.PolicyFinding;
import org.sluice.api.policy.PolicyPreview;
import org.sluice.api.policy.PolicyRevision;
import org.sluice.api.policy.PolicyService;
import org.sluice.api.policy.PolicySet;
import org.sluice.api.policy.PrefixHint;
import org.sluice.api.policy.TcpHint;

/** Policies in memory; a set called huge is too large. */
final class FakePolicies implements PolicyService {
  static final PolicyFinding FINDING =
      PolicyFinding.of("policies[0].from[0]", "web", "There is no such group here", "Use another");

  private static final TcpHint HINT =
      TcpHint.builder()
          .initialWindowSegments(20)
          .rtoMinNanos(2_000_000)
          .congestionControl("dctcp")
          .pacingBitsPerSecond(5_000_000)
          .build();

  final List<PolicyRevision> revisions = new ArrayList<>();
  Optional<PolicyFinding> fault = Optional.of(FINDING);
  PolicyPreview preview =
      PolicyPreview.of(
          List.of(
              PolicyDecision.builder("fast")
                  .source("web")
                  .destination("storage")
                  .isActive(true)
                  .reason(PolicyDecision.Reason.HOLDS)
                  .cycles(3)
                  .utilisation(0.1)
                  .dropRate(0.00012345)
                  .fullestLink(Optional.of(FakeServices.PORT))
                  .build()),
          List.of(GroupHint.of("web", "storage", HINT)));

  /** All hosts, with nothing known. */
  void makePlain() {
    revisions.clear();
    fault = Optional.empty();
    preview =
        PolicyPreview.of(
            List.of(
                PolicyDecision.builder("fast")
                    .isActive(false)
                    .reason(PolicyDecision.Reason.UNKNOWN)
                    .cycles(0)
                    .utilisation(Double.NaN)
                    .dropRate(Double.NaN)
                    .build()),
            List.of(GroupHint.of("web", "", TcpHint.NONE)));
  }

  @Override
  public List<PolicyFinding> validate(PolicySet set) {
    return List.of(FINDING);
  }

  @Override
  public PolicyPreview dryRun(PolicySet set) throws SluiceException {
    requireRoom(set);
    return preview;
  }

  @Override
  public Optional<PolicyPreview> state() {
    return Optional.of(preview);
  }

  @Override
  public boolean isEvaluating() {
    return true;
  }

  @Override
  public Optional<PolicyFinding> fault() {
    return fault;
  }

  @Override
  public Optional<PolicyRevision> current() {
    return revisions.stream().findFirst();
  }

  @Override
  public PolicyRevision apply(PolicySet set, String author, Expectation<PolicyRevision> expected)
      throws SluiceException {
    expected.check(current());
    requireRoom(set);
    return add(Optional.of(set), author, 0);
  }

  private static void requireRoom(PolicySet set) throws SluiceException {
    if (set.name().equals("huge")) {
      throw SluiceException.conflict("policies", "huge", "It is too large", "Use larger groups");
    }
  }

  private PolicyRevision add(Optional<PolicySet> set, String author, long rolledBackTo) {
    PolicyRevision made =
        PolicyRevision.builder(revisions.size() + 1)
            .time(Instant.ofEpochSecond(7))
            .author(author)
            .rolledBackTo(rolledBackTo)
            .set(set)
            .build();
    revisions.add(0, made);
    return made;
  }

  @Override
  public PolicyRevision rollBack(long revision, String author, Expectation<PolicyRevision> expected)
      throws SluiceException {
    expected.check(current());
    if (revision == 0) {
      return add(Optional.empty(), author, 0);
    }
    Optional<PolicyRevision> earlier =
        revisions.stream().filter(each -> each.number() == revision).findFirst();
    if (earlier.isEmpty()) {
      throw SluiceException.notFound("revision", revision, "No such revision is stored");
    }
    return add(earlier.get().set(), author, revision);
  }

  @Override
  public List<PolicyRevision> history() {
    return List.copyOf(revisions);
  }

  @Override
  public List<HostHints> hosts() {
    return List.of(
        HostHints.builder(HostId.of("h1"))
            .group("web")
            .revision(7)
            .hints(List.of(PrefixHint.of(List.of(IpPrefix.parse("10.0.0.4/30")), HINT)))
            .state(HostHints.State.IN_FORCE)
            .applied(List.of(AppliedHint.of(HINT, 2, 1)))
            .refused(List.of("congestion control bbr: not loaded"))
            .build());
  }
}

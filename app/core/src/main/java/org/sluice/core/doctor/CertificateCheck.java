// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.doctor;

import static org.sluice.api.Finding.Severity.ERROR;
import static org.sluice.api.Finding.Severity.WARNING;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.sluice.api.Finding;
import org.sluice.api.Host;

/** Certificates of the agent link that end soon, or have ended. */
final class CertificateCheck implements Check {
  private static final Duration AHEAD = Duration.ofDays(30);
  private static final String LINK = "agent link";

  @Override
  public List<Finding> examine(Condition condition) {
    List<Finding> found = new ArrayList<>();
    finding(
            condition,
            LINK,
            condition.certificateNotAfter(),
            "The controller's certificate",
            "Put renewed files in place of agentLinkCertificate and agentLinkKey on every node")
        .ifPresent(found::add);
    finding(
            condition,
            LINK,
            condition.authorityNotAfter(),
            "The last authority for hosts (agentLinkTrust)",
            "Add another authority to agentLinkTrust on every node, and to every host's tls.ca; then"
                + " renew the certificates of all")
        .ifPresent(found::add);
    for (Host host : condition.hosts()) {
      finding(
              condition,
              "host " + host.id(),
              host.certificateNotAfter(),
              "Its certificate",
              "Put a renewed certificate and key in place on " + host.id())
          .ifPresent(found::add);
    }
    return found;
  }

  /** Nothing of one that does not end soon, or is not known. */
  private static Optional<Finding> finding(
      Condition condition, String about, Optional<Instant> notAfter, String what, String remedy) {
    return notAfter
        .filter(end -> end.isBefore(condition.now().plus(AHEAD)))
        .map(end -> finding(condition, about, end, what, remedy));
  }

  private static Finding finding(
      Condition condition, String about, Instant end, String what, String remedy) {
    boolean ended = end.isBefore(condition.now());
    long days = Duration.between(condition.now(), end).toDays();
    return Finding.of(
        ended ? ERROR : WARNING,
        about,
        what
            + (ended ? " ended on " : " ends in " + Check.count(days, "day") + ", on ")
            + end.truncatedTo(ChronoUnit.SECONDS)
            + (ended ? ": no session can begin" : ""),
        remedy + "; it is taken within 5 s, without a restart");
  }
}

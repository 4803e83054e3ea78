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
    ending(condition.certificateNotAfter(), condition.now())
        .ifPresent(
            end ->
                found.add(
                    finding(
                        condition,
                        LINK,
                        end,
                        "The controller's certificate",
                        "Put renewed files in place of agentLinkCertificate and agentLinkKey on every"
                            + " node")));
    ending(condition.authorityNotAfter(), condition.now())
        .ifPresent(
            end ->
                found.add(
                    finding(
                        condition,
                        LINK,
                        end,
                        "The last authority for hosts (agentLinkTrust)",
                        "Add another authority to agentLinkTrust on every node, and to every host's"
                            + " tls.ca; then renew the certificates of all")));
    for (Host host : condition.hosts()) {
      ending(host.certificateNotAfter(), condition.now())
          .ifPresent(
              end ->
                  found.add(
                      finding(
                          condition,
                          "host " + host.id(),
                          end,
                          "Its certificate",
                          "Put a renewed certificate and key in place on " + host.id())));
    }
    return found;
  }

  private static Optional<Instant> ending(Optional<Instant> notAfter, Instant now) {
    return notAfter.filter(end -> end.isBefore(now.plus(AHEAD)));
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

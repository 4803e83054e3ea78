// SPDX-License-Identifier: Apache-2.0
package org.sluice.agentlink;

import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.cert.CRL;
import java.security.cert.CertificateFactory;
import java.security.cert.X509CRL;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.sluice.api.HostId;
import org.sluice.api.SluiceException;

/**
 * Which hosts may have sessions beside what their certificates say: those of a list, if there is
 * one, and none whose certificate is on a revocation list (RFC 5280). Immutable.
 */
public final class HostAccess {
  /** Everybody with a valid certificate. */
  public static final HostAccess ALL = new HostAccess(null, List.of());

  /** Null: all. */
  private final Set<HostId> listed;

  private final List<X509CRL> revocations;

  private HostAccess(Set<HostId> listed, List<X509CRL> revocations) {
    this.listed = listed;
    this.revocations = revocations;
  }

  /**
   * Reads both files.
   *
   * @param hosts a host's name in each line, what follows a # is left out; empty: all hosts
   * @param revoked revocation lists in PEM or DER; empty: none
   * @param trust certificates in PEM of those who may sign such lists
   * @throws SluiceException of kind INVALID naming the file at fault, and the line
   */
  public static HostAccess read(Optional<Path> hosts, Optional<Path> revoked, Path trust)
      throws SluiceException {
    return new HostAccess(
        hosts.isPresent() ? hosts(hosts.get()) : null,
        revoked.isPresent() ? revocations(revoked.get(), trust) : List.of());
  }

  private static Set<HostId> hosts(Path file) throws SluiceException {
    String text = new String(LinkTls.content("agentLinkHosts", file), StandardCharsets.UTF_8);
    Set<HostId> found = new TreeSet<>();
    String[] lines = text.split("\n");
    for (int i = 0; i < lines.length; i++) {
      String name = lines[i].replaceFirst("#.*", "").trim();
      try {
        if (!name.isEmpty()) {
          found.add(HostId.of(name));
        }
      } catch (IllegalArgumentException e) {
        throw SluiceException.invalid(
            "agentLinkHosts",
            file + ":" + (i + 1),
            "This is not a host's name: " + e.getMessage(),
            "Write one host in each line, as in its certificate's sluice-host:NAME");
      }
    }
    return found;
  }

  private static List<X509CRL> revocations(Path file, Path trust) throws SluiceException {
    X509Certificate[] authorities = LinkTls.certificates("agentLinkTrust", trust);
    List<X509CRL> found = new ArrayList<>();
    try {
      byte[] content = LinkTls.content("agentLinkRevoked", file);
      for (CRL each :
          CertificateFactory.getInstance("X.509").generateCRLs(new ByteArrayInputStream(content))) {
        found.add((X509CRL) each);
      }
    } catch (GeneralSecurityException e) {
      throw noRevocations(file, "This is not a revocation list: " + e.getMessage());
    }
    if (found.isEmpty()) {
      throw noRevocations(file, "There is no revocation list in this file");
    }
    for (X509CRL each : found) {
      if (!isSigned(each, authorities)) {
        throw noRevocations(
            file, "None of the authorities that agentLinkTrust names has signed this list");
      }
    }
    return found;
  }

  private static SluiceException noRevocations(Path file, String what) {
    return SluiceException.invalid(
        "agentLinkRevoked",
        file,
        what,
        "Have the hosts' authority make one: openssl ca -gencrl -out FILE");
  }

  private static boolean isSigned(X509CRL list, X509Certificate[] authorities) {
    for (X509Certificate authority : authorities) {
      try {
        if (authority.getSubjectX500Principal().equals(list.getIssuerX500Principal())) {
          list.verify(authority.getPublicKey());
          return true;
        }
      } catch (GeneralSecurityException e) {
        // Another one may have.
      }
    }
    return false;
  }

  /** Why a host must not have a session; empty: it may. */
  Optional<String> objection(HostId host, X509Certificate certificate) {
    if (listed != null && !listed.contains(host)) {
      return Optional.of(
          "host " + host + " is not among those that the operator lists (agentLinkHosts)");
    }
    for (X509CRL each : revocations) {
      if (each.isRevoked(certificate)) {
        return Optional.of(
            "the certificate of host " + host + " is revoked; give the host another one");
      }
    }
    return Optional.empty();
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof HostAccess
        && Objects.equals(listed, ((HostAccess) other).listed)
        && revocations.equals(((HostAccess) other).revocations);
  }

  @Override
  public int hashCode() {
    return 31 * Objects.hashCode(listed) + revocations.hashCode();
  }

  /** For the journal: how many hosts are listed, and how many certificates are revoked. */
  @Override
  public String toString() {
    int revoked = 0;
    for (X509CRL each : revocations) {
      revoked += each.getRevokedCertificates() == null ? 0 : each.getRevokedCertificates().size();
    }
    return (listed == null ? "all hosts" : listed.size() + " hosts")
        + " may connect, "
        + revoked
        + " certificates are revoked";
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.sluice.agentlink;

import com.google.auto.value.AutoValue;
import java.time.Instant;
import java.util.Set;
import org.sluice.api.SluiceException;

/** What the link's key, certificate and authority files held when they were read. */
@AutoValue
public abstract class LinkFiles {

  public static LinkFiles of(
      String digest,
      Set<String> authorities,
      Instant certificateNotAfter,
      Instant authorityNotAfter) {
    return new AutoValue_LinkFiles(
        digest, Set.copyOf(authorities), certificateNotAfter, authorityNotAfter);
  }

  /**
   * Reads them.
   *
   * @throws SluiceException of kind INVALID naming the file at fault
   */
  public static LinkFiles read(AgentLinkConfig config) throws SluiceException {
    return LinkTls.files(config);
  }

  /** Of the key and the certificate with those that vouch for it. */
  public abstract String digest();

  /** Digest of each certificate that vouches for agents. */
  public abstract Set<String> authorities();

  /** When the controller's certificate ends, or the first of those that vouch for it. */
  public abstract Instant certificateNotAfter();

  /** When the last authority ends. */
  public abstract Instant authorityNotAfter();
}

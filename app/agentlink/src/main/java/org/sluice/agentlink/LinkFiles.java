// SPDX-License-Identifier: Apache-2.0
package org.sluice.agentlink;

import com.google.auto.value.AutoValue;
import java.time.Instant;
import org.sluice.api.SluiceException;

/** What the link's key, certificate and authority files held when they were read. */
@AutoValue
public abstract class LinkFiles {

  public static LinkFiles of(
      String digest, Instant certificateNotAfter, Instant authorityNotAfter) {
    return new AutoValue_LinkFiles(digest, certificateNotAfter, authorityNotAfter);
  }

  /**
   * Reads them.
   *
   * @throws SluiceException of kind INVALID naming the file at fault
   */
  public static LinkFiles read(AgentLinkConfig config) throws SluiceException {
    return LinkTls.files(config);
  }

  /** Of all that is in them: with another one the link needs another start. */
  public abstract String digest();

  /** When the controller's certificate ends, or the first of those that vouch for it. */
  public abstract Instant certificateNotAfter();

  /** When the last authority ends. */
  public abstract Instant authorityNotAfter();
}

// SPDX-License-Identifier: Apache-2.0
package org.sluice.rest;

import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import javax.ws.rs.core.EntityTag;
import org.sluice.api.Tenant;
import org.sluice.api.deadline.FlowStatus;
import org.sluice.api.policy.PolicyRevision;
import org.sluice.json.TenantJson;

/** Strong entity tags: whoever has one of two equal ones has the same representation. */
final class EntityTags {
  private static final int TAG_BYTES = 16;

  private EntityTags() {}

  /** Of a tenant as it is stored. */
  static EntityTag of(Tenant tenant) {
    return ofContent(TenantJson.write(tenant).toString());
  }

  /** Of several tenants as they are stored. */
  static EntityTag ofAll(List<Tenant> tenants) {
    StringBuilder all = new StringBuilder();
    tenants.forEach(tenant -> all.append(TenantJson.write(tenant)).append('\n'));
    return ofContent(all.toString());
  }

  /** Of what is stored of a registration: its connection, size, deadline and promise. */
  static EntityTag of(FlowStatus flow) {
    return ofContent(
        List.of(
                flow.id(),
                flow.flow(),
                flow.sizeBytes(),
                flow.deadline(),
                flow.promised(),
                flow.promiseLost(),
                flow.state().isEnded())
            .toString());
  }

  /** Of the policies in force: every change has a number of its own. */
  static EntityTag of(Optional<PolicyRevision> current) {
    return new EntityTag(String.valueOf(current.map(PolicyRevision::number).orElse(0L)));
  }

  /** Of what is served, byte by byte. */
  static EntityTag ofContent(String text) {
    try {
      byte[] digest =
          MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
      return new EntityTag(new BigInteger(1, Arrays.copyOf(digest, TAG_BYTES)).toString(36));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java has SHA-256", e);
    }
  }
}

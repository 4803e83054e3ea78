// SPDX-License-Identifier: Apache-2.0
package org.sluice.rest.json;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.sluice.api.SluiceException;
import org.sluice.api.Tenant;
import org.sluice.api.TenantSetFormat;

/** Reads sets of tenants as they are sent by REST. */
public final class TenantSetText implements TenantSetFormat {
  /** Longest set that is read, bytes: more than the cluster's store holds. */
  public static final int MAX_BYTES = 1 << 20;

  @Override
  public List<Tenant> read(String json) throws SluiceException {
    List<SluiceException> refusals = new ArrayList<>();
    List<Tenant> tenants;
    try {
      byte[] bytes = json.getBytes(StandardCharsets.UTF_8);
      tenants =
          TenantJson.readSet(
              RequestBody.readObject(new ByteArrayInputStream(bytes), MAX_BYTES), refusals);
    } catch (IOException e) {
      throw new UncheckedIOException("text in memory cannot be read", e);
    }
    if (!refusals.isEmpty()) {
      throw refusals.get(0);
    }
    return tenants;
  }
}

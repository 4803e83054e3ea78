// SPDX-License-Identifier: Apache-2.0
package org.sluice.json;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import org.sluice.api.SluiceException;
import org.sluice.api.Tenant;
import org.sluice.api.TenantId;

/** Any body is read as a valid tenant, or refused with field and remedy. */
class BodiesFuzzTest {
  private static final TenantId T1 = TenantId.of("t1");

  @FuzzTest
  void anyTenant(byte[] body) throws IOException {
    ObjectNode json;
    try {
      json = RequestBody.readObject(new ByteArrayInputStream(body));
    } catch (SluiceException e) {
      explained(e);
      return;
    }
    try {
      check(TenantJson.read(json, ""));
    } catch (SluiceException e) {
      explained(e);
    }
    try {
      check(TenantJson.readMerged(json, Tenant.builder(T1).weight(3).build()));
    } catch (SluiceException e) {
      explained(e);
    }
  }

  /** What was read comes back the same when it is written. */
  private static void check(Tenant tenant) throws SluiceException, IOException {
    assertThat(tenant.weight()).isPositive().isFinite();
    assertThat(tenant.guaranteeBitsPerSecond()).isNotNegative();
    String written = TenantJson.write(tenant).toString();
    ObjectNode again = RequestBody.readObject(new ByteArrayInputStream(written.getBytes(UTF_8)));
    assertThat(TenantJson.read(again, "")).isEqualTo(tenant);
  }

  private static void explained(SluiceException e) {
    assertThat(e.kind()).isEqualTo(SluiceException.Kind.INVALID);
    assertThat(e.field()).isPresent();
    assertThat(e.getMessage()).isNotBlank();
    assertThat(e.remedy()).isNotBlank();
  }
}

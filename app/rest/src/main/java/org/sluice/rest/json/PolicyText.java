// SPDX-License-Identifier: Apache-2.0
package org.sluice.rest.json;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import org.sluice.api.SluiceException;
import org.sluice.api.policy.PolicyFormat;
import org.sluice.api.policy.PolicySet;

/** The JSON form of policy sets, read as strictly as bodies of requests are. */
public final class PolicyText implements PolicyFormat {

  @Override
  public PolicySet read(String json) throws SluiceException {
    try {
      byte[] bytes = json.getBytes(StandardCharsets.UTF_8);
      return PolicyJson.read(RequestBody.readObject(new ByteArrayInputStream(bytes)), "");
    } catch (IOException e) {
      throw new UncheckedIOException("text in memory cannot be read", e);
    }
  }

  @Override
  public String write(PolicySet set) {
    return PolicyJson.write(set).toString();
  }
}

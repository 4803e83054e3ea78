// SPDX-License-Identifier: Apache-2.0
package org.sluice.rest;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.TreeMap;
import javax.ws.rs.client.Entity;
import javax.ws.rs.client.Invocation;
import javax.ws.rs.core.Response;
import org.glassfish.jersey.server.model.Resource;
import org.glassfish.jersey.server.model.ResourceMethod;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.sluice.api.TenantId;

/** A page of another origin cannot have its reader's browser change anything. */
class ForeignPageTest extends RestTestBase {
  private static final Entity<byte[]> WITHOUT_TYPE = Entity.entity(new byte[0], "text/plain");

  private Invocation.Builder from(String header, String value) {
    return at("tenants/t1").header("Host", "sluice:8181").header(header, value);
  }

  @ParameterizedTest
  @CsvSource({
    "Origin, http://sluice:9000",
    "Origin, http://sluice",
    "Origin, http://evil:8181",
    "Origin, http://evil/?sluice:8181",
    "Origin, null",
    "Origin, http://[",
    "Sec-Fetch-Site, cross-site",
    "Sec-Fetch-Site, same-site",
  })
  void changesOfAnotherOriginAreRefused(String header, String value) {
    problem(from(header, value).put(Entity.json("{}")), 403, header, value);
    problem(from(header, value).delete(), 403, header, value);
    assertThat(services.tenants).doesNotContainKey(TenantId.of("t1"));
    assertThat(from(header, value).get().getStatus()).as("reading").isEqualTo(404);
  }

  @ParameterizedTest
  @CsvSource({
    "Origin, http://sluice:8181",
    "Origin, https://SLUICE:8181",
    "Sec-Fetch-Site, same-origin",
    "Sec-Fetch-Site, none",
    "User-Agent, curl",
  })
  void changesOfThePageAndOfOthersThanBrowsersAreMade(String header, String value) {
    assertThat(from(header, value).put(Entity.json("{}")).getStatus()).isEqualTo(201);
    assertThat(from(header, value).delete().getStatus()).isEqualTo(204);
  }

  /** A proxy may have replaced the host; the browser knows better. */
  @Test
  void theSiteCountsBeforeTheOrigin() {
    Response made =
        from("Sec-Fetch-Site", "same-origin")
            .header("Origin", "https://proxy")
            .put(Entity.json("{}"));
    assertThat(made.getStatus()).isEqualTo(201);
  }

  /** All of them, those that come later too. */
  @Test
  void everyChangeNeedsWhatAForeignPageCannotSend() {
    Map<String, Boolean> changes = changes();
    assertThat(changes)
        .containsEntry("POST /tenants", true)
        .containsEntry("DELETE /policies", false);
    changes.forEach(
        (operation, hasBody) -> {
          String method = operation.split(" ")[0];
          String path = operation.split(" /")[1].replaceAll("\\{[^}]*}", "1");
          Invocation.Builder request =
              at(path)
                  .header(ForeignPageFilter.MARK, null)
                  .property("jersey.config.client.suppressHttpComplianceValidation", true);
          if (hasBody) {
            problem(request.header("Content-Type", null).method(method), 415, "Content-Type", "");
            problem(request.method(method, WITHOUT_TYPE), 415, "Content-Type", "text/plain");
          } else {
            problem(request.method(method), 403, ForeignPageFilter.MARK, "");
          }
        });
    assertThat(services.flows.requests).isEmpty();
  }

  /** Operations that change something, and whether they have a body. */
  private Map<String, Boolean> changes() {
    Map<String, Boolean> found = new TreeMap<>();
    for (Class<?> type : new SluiceApplication(services, feed).getClasses()) {
      Resource resource = Resource.from(type);
      if (resource != null) {
        addChanges(resource, "/" + resource.getPath(), found);
      }
    }
    return found;
  }

  private static void addChanges(Resource resource, String path, Map<String, Boolean> found) {
    for (ResourceMethod method : resource.getResourceMethods()) {
      if (!AccessFilter.READING.contains(method.getHttpMethod())) {
        found.put(method.getHttpMethod() + " " + path, !method.getConsumedTypes().isEmpty());
      }
    }
    resource
        .getChildResources()
        .forEach(child -> addChanges(child, path + "/" + child.getPath(), found));
  }

  @Test
  void nothingIsShownWithinAnotherPage() {
    for (Response response : new Response[] {get("tenants"), get("nothing"), at("x").delete()}) {
      assertThat(response.getHeaderString("X-Frame-Options")).isEqualTo("DENY");
      assertThat(response.getHeaderString("Content-Security-Policy"))
          .isEqualTo("frame-ancestors 'none'");
    }
  }

  /** Behind a proxy with TLS the scheme that the container knows is another. */
  @Test
  void whatWasMadeIsNamedByItsPathAlone() {
    Response made = send("POST", "tenants", "{\"id\":\"t1\"}");
    assertThat(made.getHeaderString("Location")).isEqualTo("/tenants/t1");
  }
}

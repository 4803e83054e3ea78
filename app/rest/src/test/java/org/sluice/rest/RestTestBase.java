// SPDX-License-Identifier: Apache-2.0
package org.sluice.rest;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.security.Principal;
import java.util.List;
import java.util.Optional;
import java.util.logging.Level;
import java.util.logging.Logger;
import javax.annotation.Priority;
import javax.ws.rs.client.Entity;
import javax.ws.rs.client.Invocation;
import javax.ws.rs.container.ContainerRequestContext;
import javax.ws.rs.container.ContainerRequestFilter;
import javax.ws.rs.container.PreMatching;
import javax.ws.rs.core.MediaType;
import javax.ws.rs.core.Response;
import javax.ws.rs.core.SecurityContext;
import org.glassfish.jersey.server.ResourceConfig;
import org.glassfish.jersey.test.JerseyTest;
import org.glassfish.jersey.test.inmemory.InMemoryTestContainerFactory;
import org.glassfish.jersey.test.spi.TestContainerFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.sluice.rest.stream.StreamFeed;
import org.sluice.rest.stream.StreamPace;

/**
 * Runs the resources in memory; the header Role stands for the container's login: names of roles
 * between spaces.
 */
abstract class RestTestBase {
  /**
   * Referred to here, for java.util.logging drops loggers, and their levels, that nothing refers
   * to.
   */
  private static final Logger CONTAINER_LOG = Logger.getLogger("org.glassfish.jersey.test");

  static {
    CONTAINER_LOG.setLevel(Level.WARNING);
  }

  FakeServices services = new FakeServices();

  /** Its streams end with their first update. */
  StreamFeed feed =
      new StreamFeed(new PresentServices()::get, new StreamPace(2, 5, 1000, 30_000, 0, 60_000));

  /** What tenants' users go by for how much they may send. */
  long nanos;

  private JerseyTest jersey;

  @BeforeEach
  void start() throws Exception {
    jersey =
        new JerseyTest() {
          @Override
          protected ResourceConfig configure() {
            return ResourceConfig.forApplication(
                    new SluiceApplication(
                        new PresentServices(), feed, new RequestBudget(() -> nanos)))
                .register(new RoleFromHeader());
          }

          @Override
          protected TestContainerFactory getTestContainerFactory() {
            return new InMemoryTestContainerFactory();
          }
        };
    jersey.setUp();
  }

  @AfterEach
  void stop() throws Exception {
    jersey.tearDown();
    feed.close();
  }

  Invocation.Builder at(String path) {
    String[] parts = path.split("\\?", 2);
    var target = jersey.target(parts[0]);
    if (parts.length == 2) {
      for (String parameter : parts[1].split("&")) {
        target = target.queryParam(parameter.split("=")[0], parameter.split("=")[1]);
      }
    }
    return target.request().header("Role", "admin").header(ForeignPageFilter.MARK, "test");
  }

  /** A request of a user with these roles instead of the administrator's. */
  Invocation.Builder as(String roles, String path) {
    return at(path).header("Role", null).header("Role", roles);
  }

  Response get(String path) {
    return at(path).get();
  }

  Response send(String method, String path, String body) {
    return at(path).method(method, Entity.entity(body, MediaType.APPLICATION_JSON));
  }

  static JsonNode json(Response response) {
    try {
      return new ObjectMapper().readTree(response.readEntity(String.class));
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  /** Checks that this is a complete problem document about a field and value. */
  static JsonNode problem(Response response, int status, String field, String value) {
    assertThat(response.getMediaType().toString()).isEqualTo("application/problem+json");
    JsonNode problem = json(response);
    assertThat(response.getStatus()).as("%s", problem).isEqualTo(status);
    assertThat(problem.path("status").intValue()).isEqualTo(status);
    assertThat(problem.path("type").textValue()).startsWith("urn:sluice:problem:");
    assertThat(problem.path("title").textValue()).isNotBlank();
    assertThat(problem.path("detail").textValue()).isNotBlank();
    assertThat(problem.path("remedy").textValue()).isNotBlank();
    assertThat(problem.path("field").asText()).as("%s", problem).isEqualTo(field);
    assertThat(problem.path("value").asText()).as("%s", problem).isEqualTo(value);
    assertThat(problem.toString()).doesNotContain("Exception", "\\tat ", "org.sluice");
    return problem;
  }

  /** Those that the test has now. */
  private final class PresentServices implements Services {
    @Override
    public <T> Optional<T> find(Class<T> service) {
      return services.find(service);
    }
  }

  @PreMatching
  @Priority(0) // Before authentication.
  private static final class RoleFromHeader implements ContainerRequestFilter {
    @Override
    public void filter(ContainerRequestContext request) {
      String role = request.getHeaderString("Role");
      request.setSecurityContext(
          new SecurityContext() {
            @Override
            public Principal getUserPrincipal() {
              return role == null ? null : () -> "test";
            }

            @Override
            public boolean isUserInRole(String required) {
              return role != null && List.of(role.split(" ")).contains(required);
            }

            @Override
            public boolean isSecure() {
              return false;
            }

            @Override
            public String getAuthenticationScheme() {
              return BASIC_AUTH;
            }
          });
    }
  }
}

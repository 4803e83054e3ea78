// SPDX-License-Identifier: Apache-2.0
package org.sluice.rest;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.Socket;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.ws.rs.core.Application;
import org.eclipse.jetty.security.HashLoginService;
import org.eclipse.jetty.security.UserStore;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.security.Credential;
import org.eclipse.jetty.webapp.Configuration;
import org.eclipse.jetty.webapp.WebAppContext;
import org.eclipse.jetty.webapp.WebInfConfiguration;
import org.eclipse.jetty.webapp.WebXmlConfiguration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.sluice.rest.stream.StreamFeed;
import org.sluice.rest.stream.StreamPace;

/**
 * Who gets past the login: web.xml in the container that ONOS ships, with requests byte by byte.
 */
class LoginTest {
  private static final String ROOT = "/onos/sluice/v1";
  private static final List<String> METHODS =
      List.of("GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE", "get", "PURGE");
  private static final int TIMEOUT_MILLIS = 20_000;

  private static SluiceApplication underTest;

  /** What the servlet makes in the place of the application that needs OSGi. */
  public static final class Wired extends Application {
    @Override
    public Set<Class<?>> getClasses() {
      return underTest.getClasses();
    }

    @Override
    public Map<String, Object> getProperties() {
      return underTest.getProperties();
    }
  }

  private final FakeServices fakes = new FakeServices();
  private final List<Class<?>> askedFor = new CopyOnWriteArrayList<>();
  private final Services services =
      new Services() {
        @Override
        public <T> Optional<T> find(Class<T> service) {
          askedFor.add(service);
          return fakes.find(service);
        }
      };
  private final StreamFeed feed =
      new StreamFeed(services::get, new StreamPace(2, 5, 1000, 30_000, 0, 60_000));
  private final Server server = new Server();
  private final ServerConnector connector = new ServerConnector(server);

  @BeforeEach
  void start() throws Exception {
    underTest = new SluiceApplication(services, feed);
    connector.setHost("127.0.0.1");
    server.addConnector(connector);
    server.addBean(users());
    WebAppContext context =
        new WebAppContext("src/main/webapp", ROOT) {
          @Override
          protected void startWebapp() throws Exception {
            getServletHandler()
                .getServlet("Sluice REST")
                .setInitParameter("javax.ws.rs.Application", Wired.class.getName());
            super.startWebapp();
          }
        };
    context.setDefaultsDescriptor(null);
    context.setParentLoaderPriority(true);
    context.setThrowUnavailableOnStartupException(true);
    context.setConfigurations(
        new Configuration[] {new WebInfConfiguration(), new WebXmlConfiguration()});
    server.setHandler(context);
    server.start();
  }

  @AfterEach
  void stop() throws Exception {
    server.stop();
    feed.close();
  }

  private static HashLoginService users() {
    UserStore store = new UserStore();
    add(store, "onos", "admin");
    add(store, "guest", "viewer");
    add(store, "red", "sluice-tenant", "sluice-tenant-red");
    add(store, "stranger");
    HashLoginService login = new HashLoginService("karaf");
    login.setUserStore(store);
    return login;
  }

  private static void add(UserStore store, String name, String... roles) {
    store.addUser(name, Credential.getCredential(name + "-secret"), roles);
  }

  /** The whole response to a request with these headers. */
  private String send(String method, String target, String... headers) throws IOException {
    StringBuilder request = new StringBuilder(method + " " + target + " HTTP/1.1\r\n");
    request.append("Host: sluice\r\nConnection: close\r\n");
    for (String header : headers) {
      request.append(header).append("\r\n");
    }
    return exchange(request.append("\r\n").toString());
  }

  private String exchange(String request) throws IOException {
    try (Socket socket = new Socket("127.0.0.1", connector.getLocalPort())) {
      socket.setSoTimeout(TIMEOUT_MILLIS);
      socket.getOutputStream().write(request.getBytes(ISO_8859_1));
      return new String(socket.getInputStream().readAllBytes(), ISO_8859_1);
    }
  }

  private static String basic(String credentials) {
    return "Authorization: Basic "
        + Base64.getEncoder().encodeToString(credentials.getBytes(ISO_8859_1));
  }

  private int status(String method, String path, String user) throws IOException {
    String response =
        send(method, ROOT + path, basic(user + ":" + user + "-secret"), "X-Requested-With: t");
    return Integer.parseInt(response.split(" ")[1]);
  }

  private static void assertAskedToLogIn(String response, String request) {
    assertThat(response).as(request).startsWith("HTTP/1.1 401 ");
    assertThat(response).as(request).contains("WWW-Authenticate: Basic realm=\"karaf\"");
    assertThat(response).as(request).contains("Content-Type: application/problem+json");
    if (!request.startsWith("HEAD ")) {
      assertThat(response).as(request).contains("urn:sluice:problem:unauthorized");
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/tenants", "/tenants/default", "/flows/1", "/policies", "/policies/rollback", "/stream",
        "/stream?lastEventId=x", "/metrics", "/openapi.json", "/access", "/", "/nothing",
        "/application.wadl"
      })
  void unauthenticatedRequestIsRejectedByEveryResourceAndMethod(String path) throws Exception {
    for (String method : METHODS) {
      assertAskedToLogIn(send(method, ROOT + path), method + " " + path);
    }
    assertThat(askedFor).isEmpty();
  }

  /** By the container, before any servlet: ONOS's would log an exception there. */
  @ParameterizedTest
  @ValueSource(strings = {"", "onos:onos-secret", "onos:wrong"})
  void traceIsRejectedForAllUsers(String credentials) throws Exception {
    for (String path : List.of("/tenants", "/stream", "/", "/nothing")) {
      String response =
          credentials.isEmpty()
              ? send("TRACE", ROOT + path)
              : send("TRACE", ROOT + path, basic(credentials));
      assertThat(response).as(path).startsWith("HTTP/1.1 403 ").doesNotContain("Host: sluice");
    }
    assertThat(askedFor).isEmpty();
  }

  /** Some of them the container refuses itself; none of them reaches anything. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "/tenants;x=1",
        "/;x=1/tenants",
        "/tenants/;/default",
        "/tenants/default;jsessionid=1",
        "/ten%61nts",
        "/tenants%2Fdefault",
        "/tenants%3Bx",
        "//tenants",
        "/./tenants",
        "/x/../tenants",
        "/%2e/tenants",
        "/x/%2e%2e/tenants",
        "/x/..;/tenants",
        "/tenants/",
        "/tenants%00",
        "/%74enants?x=%zz",
        "/tenants%",
        "/stream;x=1",
        "/str%65am",
        "/metrics;a",
        "/WEB-INF/web.xml",
        "/WEB-INF;/web.xml",
        "/%57EB-INF/web.xml",
        "/META-INF/MANIFEST.MF"
      })
  void noSpellingOfAPathGetsPast(String path) throws Exception {
    for (String method : METHODS) {
      for (String target : List.of(ROOT + path, "http://sluice" + ROOT + path)) {
        String response = send(method, target);
        assertThat(response)
            .as("%s %s", method, target)
            .matches("(?s)HTTP/1\\.1 (400|401|404) .*")
            .doesNotContain("\"tenants\":", "Sluice REST v1", "sluice_");
      }
    }
    assertThat(askedFor).isEmpty();
  }

  @Test
  void methodOverrideDoesNotBypassAuthentication() throws Exception {
    for (String header :
        List.of("X-HTTP-Method-Override: GET", "X-Original-URL: /", "X-Forwarded-User: onos")) {
      assertAskedToLogIn(send("POST", ROOT + "/tenants", header), "POST with " + header);
    }
    assertThat(askedFor).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "onos:wrong",
        "onos:",
        ":onos-secret",
        ":",
        "",
        "onos",
        "nobody:onos-secret",
        "ONOS:onos-secret",
        "onos:onos-secret "
      })
  void wrongCredentialsAreRejected(String credentials) throws Exception {
    for (String method : METHODS) {
      assertAskedToLogIn(
          send(method, ROOT + "/tenants", basic(credentials)), method + " " + credentials);
    }
    assertThat(askedFor).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "Authorization: Basic",
        "Authorization: Basic !!!!",
        "Authorization: Bearer b25vczpvbm9zLXNlY3JldA==",
        "Authorization: Negotiate x",
        "Authorization: onos",
        "Proxy-Authorization: Basic b25vczpvbm9zLXNlY3JldA==",
        "Cookie: JSESSIONID=x"
      })
  void malformedCredentialsAreRejected(String header) throws Exception {
    assertAskedToLogIn(send("GET", ROOT + "/tenants", header), "GET with " + header);
    assertThat(askedFor).isEmpty();
  }

  /** A connection that one user has used is not that user's. */
  @Test
  void authenticationHoldsForOneRequest() throws Exception {
    String line = "GET " + ROOT + "/tenants HTTP/1.1\r\nHost: sluice\r\n";
    String both =
        exchange(
            line + basic("onos:onos-secret") + "\r\n\r\n" + line + "Connection: close\r\n\r\n");
    assertThat(both).startsWith("HTTP/1.1 200 ").contains("HTTP/1.1 401 ");
    assertThat(both).doesNotContain("Set-Cookie");
  }

  @Test
  void usersOfTheControllerAreAuthenticated() throws Exception {
    assertThat(status("GET", "/tenants", "onos")).isEqualTo(200);
    assertThat(status("DELETE", "/tenants/none", "onos")).isEqualTo(404);
    assertThat(status("GET", "/metrics", "onos")).isEqualTo(200);
    assertThat(status("GET", "/stream", "onos")).isEqualTo(200);

    assertThat(status("GET", "/tenants", "guest")).isEqualTo(200);
    assertThat(status("GET", "/metrics", "guest")).isEqualTo(200);
    assertThat(status("DELETE", "/tenants/none", "guest")).isEqualTo(403);

    assertThat(status("GET", "/tenants", "red")).isEqualTo(200);
    assertThat(status("GET", "/stream", "red")).isEqualTo(200);
    assertThat(status("GET", "/metrics", "red")).isEqualTo(403);

    assertThat(status("GET", "/tenants", "stranger")).isEqualTo(403);
    assertThat(status("GET", "/access", "stranger")).isEqualTo(403);
  }
}

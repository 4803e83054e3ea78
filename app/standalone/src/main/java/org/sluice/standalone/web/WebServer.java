// SPDX-License-Identifier: Apache-2.0
package org.sluice.standalone.web;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Path;
import java.security.KeyStore;
import java.security.KeyStoreException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.logging.Level;
import javax.servlet.DispatcherType;
import javax.servlet.http.HttpServletRequest;
import javax.servlet.http.HttpServletResponse;
import org.eclipse.jetty.security.ConstraintMapping;
import org.eclipse.jetty.security.ConstraintSecurityHandler;
import org.eclipse.jetty.security.authentication.BasicAuthenticator;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.SecureRequestCustomizer;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.server.SslConnectionFactory;
import org.eclipse.jetty.server.handler.AbstractHandler;
import org.eclipse.jetty.server.handler.ContextHandler;
import org.eclipse.jetty.server.handler.ContextHandlerCollection;
import org.eclipse.jetty.server.handler.HandlerList;
import org.eclipse.jetty.servlet.DefaultServlet;
import org.eclipse.jetty.servlet.FilterHolder;
import org.eclipse.jetty.servlet.ServletContextHandler;
import org.eclipse.jetty.servlet.ServletHolder;
import org.eclipse.jetty.util.resource.Resource;
import org.eclipse.jetty.util.security.Constraint;
import org.eclipse.jetty.util.ssl.SslContextFactory;
import org.eclipse.jetty.util.thread.QueuedThreadPool;
import org.glassfish.jersey.server.ResourceConfig;
import org.glassfish.jersey.servlet.ServletContainer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.sluice.api.access.Caller;
import org.sluice.page.PageFilter;
import org.sluice.rest.SluiceApplication;
import org.sluice.standalone.config.Configuration;
import org.sluice.standalone.config.ConfigurationException;

/** Serves REST at {@value #REST} and the page at {@value #PAGE}. */
public final class WebServer implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(WebServer.class);

  /** It warns of whatever optional library is not there. Referred to, or its level is dropped. */
  private static final java.util.logging.Logger JERSEY =
      java.util.logging.Logger.getLogger("org.glassfish.jersey");

  static {
    JERSEY.setLevel(Level.SEVERE);
  }

  static final String REST = "/sluice/v1";
  static final String PAGE = "/sluice/ui";
  private static final int MOST_THREADS = 200;
  private static final int LEAST_THREADS = 4;

  private final Configuration configuration;
  private final SluiceApplication application;
  private final Login login = new Login();
  private final SslContextFactory.Server tls = new SslContextFactory.Server();
  private final Server server;
  private KeyStore keys;

  /**
   * One that serves nothing yet.
   *
   * @param services each by its interface
   * @throws ConfigurationException if users, certificate or key cannot be used
   */
  public WebServer(Configuration configuration, Map<Class<?>, Object> services)
      throws ConfigurationException {
    this.configuration = configuration;
    application = SluiceApplication.of(services);
    QueuedThreadPool threads = new QueuedThreadPool(MOST_THREADS, LEAST_THREADS);
    threads.setName("sluice-web");
    threads.setDaemon(true);
    server = new Server(threads);
    tls.setKeyStorePassword(PemKeys.PASSWORD);
    refresh();
    configuration.listen().forEach(one -> server.addConnector(connector(one)));
    server.setHandler(new HandlerList(new ContextHandlerCollection(rest(), page()), root()));
  }

  /**
   * Listens.
   *
   * @throws IOException if an address cannot be had
   */
  public void start() throws IOException {
    try {
      server.start();
    } catch (IOException e) {
      throw new IOException(
          "web.listen: " + configuration.listen() + ": " + e.getMessage() + "; use free ports", e);
    } catch (Exception e) {
      throw new IllegalStateException("the web server did not start", e);
    }
  }

  /** Where it listens, in the order of the configuration. */
  public List<InetSocketAddress> addresses() {
    List<InetSocketAddress> addresses = new ArrayList<>();
    for (int i = 0; i < server.getConnectors().length; i++) {
      ServerConnector connector = (ServerConnector) server.getConnectors()[i];
      addresses.add(new InetSocketAddress(connector.getHost(), connector.getLocalPort()));
    }
    return addresses;
  }

  /**
   * Goes by what users, certificate and key are now.
   *
   * @throws ConfigurationException if they cannot be used; then what was read last holds
   */
  public void refresh() throws ConfigurationException {
    login.setUsers(UsersFile.read(configuration.users()));
    if (configuration.certificate().isEmpty()) {
      return;
    }
    Path certificate = configuration.certificate().get();
    KeyStore now = PemKeys.read(certificate, configuration.key().get());
    if (keys != null && sameCertificates(keys, now)) {
      return;
    }
    keys = now;
    if (!tls.isStarted()) {
      tls.setKeyStore(now);
      return;
    }
    try {
      tls.reload(factory -> factory.setKeyStore(now));
    } catch (Exception e) {
      throw new ConfigurationException(certificate + ": " + e + "; correct the file");
    }
  }

  /**
   * Whether users, certificate and key can be used.
   *
   * @throws ConfigurationException if not
   */
  public static void check(Configuration configuration) throws ConfigurationException {
    UsersFile.read(configuration.users());
    if (configuration.certificate().isPresent()) {
      PemKeys.read(configuration.certificate().get(), configuration.key().get());
    }
  }

  private static boolean sameCertificates(KeyStore one, KeyStore other)
      throws ConfigurationException {
    try {
      return Arrays.equals(one.getCertificateChain("web"), other.getCertificateChain("web"));
    } catch (KeyStoreException e) {
      throw new ConfigurationException(e.toString());
    }
  }

  private ServerConnector connector(URI at) {
    HttpConfiguration http = new HttpConfiguration();
    http.setSendServerVersion(false);
    ServerConnector connector;
    if (at.getScheme().equals("https")) {
      http.addCustomizer(new SecureRequestCustomizer(false));
      connector =
          new ServerConnector(
              server, new SslConnectionFactory(tls, "http/1.1"), new HttpConnectionFactory(http));
    } else {
      connector = new ServerConnector(server, new HttpConnectionFactory(http));
    }
    connector.setHost(at.getHost().replaceAll("[\\[\\]]", ""));
    connector.setPort(at.getPort());
    return connector;
  }

  /** Who may log in {@code LoginFilter} decides; TRACE nobody may send, as in REST's web.xml. */
  private ContextHandler rest() {
    ServletContextHandler context = context(REST);
    Constraint nobody = new Constraint();
    nobody.setAuthenticate(true);
    constrain(context, nobody, "TRACE");
    ServletHolder container =
        new ServletHolder(new ServletContainer(ResourceConfig.forApplication(application)));
    container.setInitOrder(1);
    context.addServlet(container, "/*");
    return context;
  }

  private ContextHandler page() {
    ServletContextHandler context = context(PAGE);
    Constraint users = new Constraint();
    users.setAuthenticate(true);
    users.setRoles(new String[] {Caller.ADMIN_ROLE, Caller.VIEWER_ROLE, Caller.TENANT_ROLE});
    constrain(context, users, null);
    context.setBaseResource(Resource.newClassPathResource("/org/sluice/standalone/page"));
    context.setWelcomeFiles(new String[] {"index.html"});
    context.setAllowNullPathInfo(true);
    context.addFilter(new FilterHolder(new PageFilter()), "/*", EnumSet.of(DispatcherType.REQUEST));
    ServletHolder files = new ServletHolder(new DefaultServlet());
    files.setInitParameter("dirAllowed", "false");
    context.addServlet(files, "/");
    return context;
  }

  /** Whoever requests nothing in particular gets the page. */
  private static Handler root() {
    return new AbstractHandler() {
      @Override
      public void handle(
          String target, Request asked, HttpServletRequest request, HttpServletResponse response) {
        if (target.equals("/")) {
          response.setStatus(HttpServletResponse.SC_FOUND);
          response.setHeader("Location", PAGE + "/");
          asked.setHandled(true);
        }
      }
    };
  }

  private ServletContextHandler context(String path) {
    ServletContextHandler context =
        new ServletContextHandler(
            ServletContextHandler.NO_SESSIONS | ServletContextHandler.SECURITY);
    context.setContextPath(path);
    ConstraintSecurityHandler security = (ConstraintSecurityHandler) context.getSecurityHandler();
    security.setAuthenticator(new BasicAuthenticator());
    security.setRealmName(login.getName());
    security.setLoginService(login);
    return context;
  }

  private static void constrain(
      ServletContextHandler context, Constraint constraint, String method) {
    ConstraintMapping mapping = new ConstraintMapping();
    mapping.setPathSpec("/*");
    mapping.setMethod(method);
    mapping.setConstraint(constraint);
    ((ConstraintSecurityHandler) context.getSecurityHandler()).addConstraintMapping(mapping);
  }

  @Override
  public void close() {
    application.close();
    try {
      server.stop();
    } catch (Exception e) {
      log.warn("The web server did not stop as it should", e);
    }
  }
}

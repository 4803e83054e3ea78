// SPDX-License-Identifier: Apache-2.0
package org.sluice.overlay;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.onosproject.cfg.ComponentConfigAdapter;
import org.onosproject.net.ConnectPoint;
import org.onosproject.net.DefaultLink;
import org.onosproject.net.Link;
import org.onosproject.net.link.LinkServiceAdapter;
import org.onosproject.net.provider.ProviderId;
import org.onosproject.ui.UiConnection;
import org.onosproject.ui.UiExtension;
import org.onosproject.ui.UiExtensionServiceAdapter;
import org.onosproject.ui.UiMessageHandler;
import org.onosproject.ui.model.topo.UiTopoLayout;
import org.sluice.api.Endpoint;
import org.sluice.api.EndpointId;
import org.sluice.api.EndpointService;
import org.sluice.api.EndpointTraffic;
import org.sluice.api.IpAddress;
import org.sluice.api.MacAddress;
import org.sluice.api.PortId;
import org.sluice.api.PortService;
import org.sluice.api.PortStatus;
import org.sluice.api.TenantId;

/** What ONOS's page is sent, by the classes of ONOS's own UI API. */
class TopologyOverlayTest {
  private static final String LEAF = "of:0000000000000001";
  private static final String SPINE = "of:0000000000000002";

  private final Page page = new Page();
  private final Ticker ticker = new Ticker();
  private final Configuration configuration = new Configuration();
  private final List<PortStatus> ports = new ArrayList<>();
  private final List<Endpoint> endpoints = new ArrayList<>();
  private final TopologyOverlay overlay = new TopologyOverlay();

  @BeforeEach
  void wire() {
    overlay.configuration = configuration;
    overlay.links = new Links();
    overlay.ports = new Ports();
    overlay.endpoints = new Endpoints();
  }

  @AfterEach
  void close() {
    ticker.shutdownNow();
  }

  private static PortStatus port(String datapath, boolean congested, double ceShare, long load) {
    return PortStatus.builder(PortId.of(datapath, 5))
        .capacityBitsPerSecond(50_000_000)
        .capacitySource(PortStatus.CapacitySource.CONFIGURED)
        .congested(congested)
        .ceShare(ceShare)
        .loadBitsPerSecond(load)
        .build();
  }

  private static Endpoint endpoint(String id, boolean heldBack) {
    return Endpoint.of(
        EndpointId.parse(id),
        MacAddress.parse("02:00:00:00:01:01"),
        Set.of(IpAddress.parse("10.0.0.1")),
        TenantId.of("red"),
        Optional.of(PortId.of(LEAF, 1)),
        0,
        List.of(),
        EndpointTraffic.of(7_000_000, 0, 0, heldBack));
  }

  private Browser open() {
    Browser browser = new Browser();
    UiMessageHandler handler =
        page.extension.messageHandlerFactory().newHandlers().iterator().next();
    handler.init(browser, null);
    browser.handler = handler;
    return browser;
  }

  @Test
  void congestedLinksHaveColourAndLabelAndSwitchesHaveABadge() {
    ports.add(port(LEAF, true, 0.48, 49_123_456));
    ports.add(port(SPINE, false, 0, 1_000_000));
    endpoints.add(endpoint("h1/vm0", true));
    endpoints.add(endpoint("h1/vm1", true));
    endpoints.add(endpoint("h2/vm0", false));
    overlay.bindPage(page);
    overlay.start(ticker, true);
    Browser browser = open();

    ticker.tick();

    assertThat(browser.received).hasSize(1);
    JsonNode message = browser.received.get(0);
    assertThat(message.path("event").asText()).isEqualTo("showHighlights");
    JsonNode links = message.path("payload").path("links");
    assertThat(links).as("one for both directions").hasSize(1);
    assertThat(links.get(0).path("id").asText()).isEqualTo(LEAF + "/5-" + SPINE + "/5");
    assertThat(links.get(0).path("css").asText().split(" "))
        .contains("primary", "port-traffic-red");
    assertThat(links.get(0).path("label").asText()).isEqualTo("49.1 of 50 Mbit/s, 48 % marked");
    JsonNode devices = message.path("payload").path("devices");
    assertThat(devices).hasSize(1);
    assertThat(devices.get(0).path("id").asText()).isEqualTo(LEAF);
    JsonNode badge = devices.get(0).path("badge");
    assertThat(badge.path("txt").asText()).isEqualTo("2");
    assertThat(badge.path("status").asText()).isEqualTo("w");
    assertThat(badge.path("msg").asText()).isEqualTo("held back: h1/vm0 of red, h1/vm1 of red");
  }

  @Test
  void linkColourFollowsMarksAndUtilisation() {
    overlay.bindPage(page);
    overlay.start(ticker, true);
    Browser browser = open();

    assertThat(css(browser, port(LEAF, true, 0.02, 40_000_000))).contains("port-traffic-orange");
    assertThat(css(browser, port(LEAF, false, 0, 45_000_000))).contains("port-traffic-yellow");
    assertThat(css(browser, port(LEAF, false, 0, 39_000_000))).isEmpty();
  }

  private String css(Browser browser, PortStatus port) {
    ports.clear();
    ports.add(port);
    browser.received.clear();
    ticker.tick();
    return browser.received.get(0).at("/payload/links/0/css").asText();
  }

  /** ONOS's page takes highlights away 5 s after they came. */
  @Test
  void pushesAtLeastEveryFiveSeconds() {
    overlay.start(ticker, true);
    assertThat(ticker.periodMillis).isLessThan(5_000).isPositive();
  }

  @Test
  void highlightsArePushedOnlyWhileEnabled() {
    ports.add(port(LEAF, true, 0.48, 49_000_000));
    overlay.bindPage(page);
    overlay.start(ticker, false);
    Browser browser = open();
    ticker.tick();
    assertThat(browser.received).isEmpty();

    overlay.follow(true);
    assertThat(browser.received).as("at once").hasSize(1);
    overlay.follow(false);
    assertThat(browser.received).hasSize(2);
    assertThat(browser.received.get(1).at("/payload/links")).isEmpty();
    ticker.tick();
    assertThat(browser.received).hasSize(2);
  }

  @Test
  void highlightsArePushedToOpenBrowsersOnly() {
    ports.add(port(LEAF, true, 0.48, 49_000_000));
    overlay.bindPage(page);
    overlay.start(ticker, true);
    Browser one = open();
    Browser other = open();
    Browser broken = open();
    broken.isBroken = true;
    ticker.tick();
    assertThat(one.received).hasSize(1);
    assertThat(other.received).hasSize(1);

    // ONOS destroys handlers several times.
    other.handler.destroy();
    other.handler.destroy();
    ticker.tick();
    assertThat(one.received).hasSize(2);
    assertThat(other.received).hasSize(1);

    ObjectNode request = new ObjectMapper().createObjectNode();
    request.put("event", TopologyHandler.REFRESH).putObject("payload");
    one.handler.process(request);
    assertThat(one.received).hasSize(3);
  }

  @Test
  void pageMayBeOpenedLateAndClosedEarly() {
    overlay.start(ticker, true);
    assertThat(overlay.hasView()).isFalse();
    overlay.bindPage(page);
    assertThat(page.extension).isNotNull();
    assertThat(overlay.hasView()).isTrue();
    overlay.unbindPage(page);
    assertThat(page.extension).isNull();
    assertThat(overlay.hasView()).isFalse();
    ticker.tick();
    overlay.deactivate();
  }

  @Test
  void deactivationRemovesHighlights() {
    ports.add(port(LEAF, true, 0.48, 49_000_000));
    overlay.bindPage(page);
    overlay.start(ticker, true);
    Browser browser = open();
    ticker.tick();

    overlay.deactivate();

    assertThat(page.extension).isNull();
    assertThat(ticker.isShutdown()).isTrue();
    assertThat(configuration.unregistered).isTrue();
    assertThat(browser.received.get(1).at("/payload/links")).as("taken away").isEmpty();
    browser.handler.destroy();
    overlay.unbindPage(page);
  }

  @Test
  void stateIsSharedByAllNodes() {
    overlay.start(ticker, false);
    overlay.switchTo(true);
    assertThat(configuration.set)
        .containsExactly("org.sluice.overlay.TopologyOverlay enabled true");
    assertThat(TopologyOverlay.class.getResource("TopologyOverlay.cfgdef"))
        .as("what ONOS knows the property by")
        .isNotNull();
  }

  // ---------------------------------------------------------------- what is around it

  private static final class Page extends UiExtensionServiceAdapter {
    private UiExtension extension;

    @Override
    public void register(UiExtension added) {
      assertThat(extension).isNull();
      extension = added;
    }

    @Override
    public void unregister(UiExtension removed) {
      assertThat(removed).isSameAs(extension);
      extension = null;
    }
  }

  /** Keeps what is to be repeated, for the test to do it. */
  private static final class Ticker extends ScheduledThreadPoolExecutor {
    private Runnable repeated;
    private long periodMillis;

    Ticker() {
      super(1);
    }

    @Override
    public ScheduledFuture<?> scheduleAtFixedRate(
        Runnable task, long delay, long period, TimeUnit unit) {
      repeated = task;
      periodMillis = unit.toMillis(period);
      return null;
    }

    void tick() {
      repeated.run();
    }
  }

  private static final class Browser implements UiConnection {
    private final List<JsonNode> received = new ArrayList<>();
    private UiMessageHandler handler;
    private boolean isBroken;

    @Override
    public String userName() {
      return "onos";
    }

    @Override
    public UiTopoLayout currentLayout() {
      return null;
    }

    @Override
    public void setCurrentLayout(UiTopoLayout layout) {}

    @Override
    public String currentView() {
      return "topo2";
    }

    @Override
    public void setCurrentView(String view) {}

    @Override
    public void sendMessage(ObjectNode message) {
      if (isBroken) {
        throw new IllegalStateException("the socket is closed");
      }
      received.add(message.deepCopy());
    }

    @Override
    public void sendMessage(String type, ObjectNode payload) {
      throw new UnsupportedOperationException();
    }
  }

  private static final class Configuration extends ComponentConfigAdapter {
    private final Set<String> set = new HashSet<>();
    private boolean unregistered;

    @Override
    public void setProperty(String component, String name, String value) {
      set.add(component + " " + name + " " + value);
    }

    @Override
    public void unregisterProperties(Class<?> component, boolean clear) {
      unregistered = true;
    }
  }

  private static final class Links extends LinkServiceAdapter {
    @Override
    public Iterable<Link> getActiveLinks() {
      return List.of(link(LEAF, SPINE), link(SPINE, LEAF));
    }

    private static Link link(String from, String to) {
      return DefaultLink.builder()
          .providerId(ProviderId.NONE)
          .src(ConnectPoint.deviceConnectPoint(from + "/5"))
          .dst(ConnectPoint.deviceConnectPoint(to + "/5"))
          .type(Link.Type.DIRECT)
          .build();
    }
  }

  private final class Ports implements PortService {
    @Override
    public List<PortStatus> ports() {
      return ports;
    }

    @Override
    public Optional<PortStatus> port(PortId id) {
      return ports.stream().filter(port -> port.id().equals(id)).findFirst();
    }
  }

  private final class Endpoints implements EndpointService {
    @Override
    public List<Endpoint> endpoints() {
      return endpoints;
    }

    @Override
    public Optional<Endpoint> endpoint(EndpointId id) {
      return Optional.empty();
    }

    @Override
    public Optional<Endpoint> endpoint(IpAddress ip) {
      return Optional.empty();
    }
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.sluice.overlay;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Collection;
import java.util.List;
import org.onlab.osgi.ServiceDirectory;
import org.onosproject.ui.RequestHandler;
import org.onosproject.ui.UiConnection;
import org.onosproject.ui.UiMessageHandler;

/** One browser's connection to ONOS's page. ONOS makes one for each, and ends it several times. */
final class TopologyHandler extends UiMessageHandler {
  /** Has the latest highlights sent at once. */
  static final String REFRESH = "sluiceOverlayRefresh";

  private final OpenViews views;
  private final Runnable refresh;

  TopologyHandler(OpenViews views, Runnable refresh) {
    this.views = views;
    this.refresh = refresh;
  }

  @Override
  protected Collection<RequestHandler> createRequestHandlers() {
    return List.of(
        new RequestHandler(REFRESH) {
          @Override
          public void process(ObjectNode payload) {
            refresh.run();
          }
        });
  }

  @Override
  public void init(UiConnection connection, ServiceDirectory directory) {
    super.init(connection, directory);
    views.add(this);
  }

  @Override
  public void destroy() {
    views.remove(this);
    super.destroy();
  }

  void send(ObjectNode message) {
    sendMessage(message);
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.sluice.lab.onos.openflow.poll;

import org.onosproject.cfg.ComponentConfigService;
import org.onosproject.net.provider.AbstractProvider;
import org.onosproject.net.provider.ProviderId;
import org.onosproject.openflow.controller.Dpid;
import org.onosproject.openflow.controller.OpenFlowController;
import org.onosproject.openflow.controller.OpenFlowEventListener;
import org.onosproject.openflow.controller.OpenFlowSwitch;
import org.onosproject.openflow.controller.OpenFlowSwitchListener;
import org.osgi.service.component.ComponentContext;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Deactivate;
import org.osgi.service.component.annotations.Modified;
import org.osgi.service.component.annotations.Reference;

/**
 * The life of a provider that polls all switches at a period, which a property of the component
 * holds, and receives what they report.
 *
 * @param <S> what the provider reports to
 */
public abstract class PollingProvider<S> extends AbstractProvider implements OpenFlowEventListener {

  @Reference protected OpenFlowController controller;
  @Reference protected ComponentConfigService configService;

  private final String pollerName;
  private final String periodProperty;
  private int periodSeconds;
  private S providerService;
  private SwitchPoller poller;
  private OpenFlowSwitchListener watcher;

  /**
   * Creates a provider under the stock one's name, unregistered as yet.
   *
   * @param stockName the stock provider's
   * @param pollerName of the polling thread
   * @param periodProperty the property that holds the period in seconds
   * @param defaultPeriodSeconds at least 1
   */
  protected PollingProvider(
      String stockName, String pollerName, String periodProperty, int defaultPeriodSeconds) {
    super(new ProviderId("of", stockName));
    this.pollerName = pollerName;
    this.periodProperty = periodProperty;
    this.periodSeconds = defaultPeriodSeconds;
  }

  /** Registers the provider and starts polling. */
  @Activate
  public void activate(ComponentContext context) {
    configService.registerProperties(getClass());
    providerService = register();
    poller = new SwitchPoller(pollerName, controller, periodSeconds, this::poll);
    watcher = watcher(poller);
    modified(context);
    controller.addListener(watcher);
    controller.addEventListener(this);
    controller.getSwitches().forEach(each -> watcher.switchAdded(each.getDpid()));
  }

  /** Unregisters the provider. */
  @Deactivate
  public void deactivate() {
    controller.removeEventListener(this);
    controller.removeListener(watcher);
    poller.shutdown();
    unregister();
    configService.unregisterProperties(getClass(), false);
  }

  /** Takes a changed polling period. */
  @Modified
  public void modified(ComponentContext context) {
    periodSeconds = Periods.seconds(context, periodProperty, periodSeconds);
    poller.setPeriodSeconds(periodSeconds);
  }

  /** Registers with ONOS. */
  protected abstract S register();

  protected abstract void unregister();

  /** Sends the requests of one poll. */
  protected abstract void poll(OpenFlowSwitch polled);

  /** Follows switches that come and go; starts and stops their polling. */
  protected OpenFlowSwitchListener watcher(SwitchPoller switchPoller) {
    return new SwitchWatcher(switchPoller);
  }

  /** What the provider reports to, once it is active. */
  protected final S providerService() {
    return providerService;
  }

  /** Polls one switch now, beside the period. */
  protected final void pollSoon(Dpid dpid) {
    poller.pollSoon(dpid);
  }
}

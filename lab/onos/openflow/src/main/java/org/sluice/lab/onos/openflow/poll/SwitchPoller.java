// SPDX-License-Identifier: Apache-2.0
package org.sluice.lab.onos.openflow.poll;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.onosproject.openflow.controller.Dpid;
import org.onosproject.openflow.controller.OpenFlowController;
import org.onosproject.openflow.controller.OpenFlowSwitch;
import org.onosproject.openflow.controller.RoleState;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Polls every connected switch at a fixed period, one second after it connected first.
 *
 * <p>A switch that this node is not master of is left alone, as the stock collectors do.
 */
public final class SwitchPoller {

  private static final Logger LOG = LoggerFactory.getLogger(SwitchPoller.class);
  private static final long FIRST_DELAY_MILLIS = 1000;

  private final OpenFlowController controller;
  private final Consumer<OpenFlowSwitch> question;
  private final ScheduledExecutorService timer;
  private final Map<Dpid, Future<?>> polled = new ConcurrentHashMap<>();
  private int periodSeconds;

  /**
   * Creates a poller that polls no switch yet.
   *
   * @param name of its thread
   * @param periodSeconds at least 1
   * @param question sends the request; called on the poller's thread
   */
  public SwitchPoller(
      String name,
      OpenFlowController controller,
      int periodSeconds,
      Consumer<OpenFlowSwitch> question) {
    this.controller = controller;
    this.question = question;
    this.periodSeconds = periodSeconds;
    this.timer = Executors.newSingleThreadScheduledExecutor(task -> new Thread(task, name));
  }

  /** Polls a switch from now on; one that is polled already starts afresh. */
  public synchronized void start(Dpid dpid) {
    stop(dpid);
    polled.put(
        dpid,
        timer.scheduleAtFixedRate(
            () -> poll(dpid), FIRST_DELAY_MILLIS, periodSeconds * 1000L, TimeUnit.MILLISECONDS));
  }

  /** Polls a switch no more. */
  public synchronized void stop(Dpid dpid) {
    Future<?> task = polled.remove(dpid);
    if (task != null) {
      task.cancel(false);
    }
  }

  /** Changes the period of all switches; at least 1 second. */
  public synchronized void setPeriodSeconds(int seconds) {
    if (seconds != periodSeconds) {
      periodSeconds = seconds;
      polled.keySet().forEach(this::start);
    }
  }

  /** Polls one switch now, beside the period. */
  public void pollSoon(Dpid dpid) {
    timer.execute(() -> poll(dpid));
  }

  /** Ends the poller for good. */
  public void shutdown() {
    timer.shutdownNow();
  }

  private void poll(Dpid dpid) {
    OpenFlowSwitch polledSwitch = controller.getSwitch(dpid);
    if (polledSwitch == null || polledSwitch.getRole() != RoleState.MASTER) {
      return;
    }
    try {
      question.accept(polledSwitch);
    } catch (RuntimeException e) {
      // An exception would end the fixed-rate task without a word.
      LOG.warn("Could not poll switch {}", dpid, e);
    }
  }
}

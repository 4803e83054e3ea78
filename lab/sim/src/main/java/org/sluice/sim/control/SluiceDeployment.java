// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.control;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.sluice.api.JournalService;
import org.sluice.api.Tenant;
import org.sluice.engine.Engine;
import org.sluice.sim.event.Event;
import org.sluice.sim.network.Endpoint;
import org.sluice.sim.network.Host;
import org.sluice.sim.network.Network;
import org.sluice.sim.shim.host.Addresses;
import org.sluice.sim.shim.sluice.SluiceShim;

/** Sluice on a network: a shim on each host, and the engine behind a control channel. */
public final class SluiceDeployment implements ControlTraffic {
  private final Network network;
  private final ControlChannels channels;
  private final Controller controller;
  private final Map<Host, HostLink> links = new LinkedHashMap<>();

  private SluiceDeployment(Network network, SluiceParameters parameters) {
    this.network = network;
    Addresses addresses = new Addresses(network);
    this.channels = new ControlChannels(network, parameters.channel());
    this.controller = new Controller(network, parameters, addresses, channels);
    for (Host host : network.hosts()) {
      HostLink link =
          new HostLink(network, host, addresses, controller, parameters.shim(), channels);
      link.shim().install();
      controller.add(link);
      links.put(host, link);
    }
    controller.begin();
    for (Absence absence : parameters.absences()) {
      at(absence.fromNanos(), controller::end);
      if (absence.toNanos() != Absence.FOR_EVER) {
        at(absence.toNanos(), controller::begin);
      }
    }
  }

  /**
   * Puts shims on all hosts and starts the controller. The network must be complete, with its
   * routes, and without traffic.
   */
  public static SluiceDeployment install(Network network, SluiceParameters parameters) {
    return new SluiceDeployment(network, parameters);
  }

  /**
   * Changes an endpoint's weight at a time.
   *
   * @param weight above 0
   */
  public void setWeight(Endpoint endpoint, double weight, long atNanos) {
    at(atNanos, () -> controller.policies().setWeight(endpoint, weight), endpoint);
  }

  /**
   * Has endpoints share what a tenant is due, from a time on.
   *
   * @param members beside those that it has
   */
  public void setTenant(Tenant tenant, List<Endpoint> members, long atNanos) {
    at(
        atNanos,
        () -> {
          controller.policies().setTenant(tenant, members);
          controller.putTenant(tenant.id());
        });
  }

  /** Changes an endpoint's guarantee at a time; 0 is none. */
  public void setGuarantee(Endpoint endpoint, long bitsPerSecond, long atNanos) {
    at(atNanos, () -> controller.policies().setGuarantee(endpoint, bitsPerSecond), endpoint);
  }

  /** Changes an endpoint's ceiling at a time; 0 is its NIC's capacity. */
  public void setCeiling(Endpoint endpoint, long bitsPerSecond, long atNanos) {
    at(atNanos, () -> controller.policies().setCeiling(endpoint, bitsPerSecond), endpoint);
  }

  /**
   * Changes what may arrive at an endpoint at a time; 0 is its tenant's receive ceiling, if any.
   */
  public void setReceiveCeiling(Endpoint endpoint, long bitsPerSecond, long atNanos) {
    at(atNanos, () -> controller.policies().setReceiveCeiling(endpoint, bitsPerSecond), endpoint);
  }

  private void at(long nanos, Runnable change, Endpoint endpoint) {
    at(
        nanos,
        () -> {
          change.run();
          controller.putPolicy(endpoint);
        });
  }

  /** Kills a host's agent at a time: its limits stay for a lease, then it is open. */
  public void killAgent(Host host, long atNanos) {
    at(atNanos, () -> shim(host).kill());
  }

  /** Stops a host's agent at a time: it is open at once. */
  public void stopAgent(Host host, long atNanos) {
    at(atNanos, () -> shim(host).stop());
  }

  /** To be called when routes were computed anew, or a port has another capacity. */
  public void topologyChanged() {
    controller.topologyChanged();
  }

  public SluiceShim shim(Host host) {
    return links.get(host).shim();
  }

  /** The engine; null while there is no controller. */
  public Engine engine() {
    return controller.engine();
  }

  /** What was decided, and why. */
  public JournalService journal() {
    return controller.journal();
  }

  /** Control periods so far. */
  public long ticks() {
    return controller.ticks();
  }

  /** Messages from hosts to the controller, lost ones too. */
  public long messagesUp() {
    return links.values().stream().mapToLong(HostLink::messagesUp).sum();
  }

  /** Messages from the controller to hosts, lost ones too. */
  public long messagesDown() {
    return links.values().stream().mapToLong(HostLink::messagesDown).sum();
  }

  public long messagesLost() {
    return links.values().stream().mapToLong(HostLink::messagesLost).sum();
  }

  @Override
  public long controllerMessages() {
    return channels.sent();
  }

  /** Feedback messages between shims. */
  @Override
  public long hostMessages() {
    return links.values().stream().mapToLong(link -> link.shim().messagesSent()).sum();
  }

  /** Runs something at a time; at once if that is now. */
  private void at(long nanos, Runnable action) {
    if (nanos <= network.scheduler().now()) {
      action.run();
      return;
    }
    network.scheduler().arm(Event.running(action), nanos);
  }
}

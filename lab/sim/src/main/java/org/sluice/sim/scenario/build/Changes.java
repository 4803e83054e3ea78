// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.scenario.build;

import java.util.List;
import java.util.Optional;
import org.sluice.sim.deployment.SluiceDeployment;
import org.sluice.sim.event.Event;
import org.sluice.sim.network.Endpoint;
import org.sluice.sim.network.Host;
import org.sluice.sim.network.Link;
import org.sluice.sim.network.Network;
import org.sluice.sim.network.Port;
import org.sluice.sim.scenario.document.Fields;

/**
 * What changes in a network while a scenario runs: links fail, return, or get another capacity;
 * hosts and agents die and return; endpoints move. What is so from the start is so before there is
 * a controller.
 */
final class Changes {
  private final BuiltScenario built;
  private final List<Fields> changes;

  /** Makes known where endpoints may move; to be called before hosts have shims. */
  Changes(BuiltScenario built, List<Fields> changes) {
    this.built = built;
    this.changes = changes;
    for (Fields at : changes) {
      if (at.has("endpoint")) {
        built.endpoints(at, "endpoint").forEach(endpoint -> endpoint.mayMoveTo(host(at, "to")));
      }
    }
  }

  /**
   * Makes those that hold from the start, and arms the others.
   *
   * @param deployment empty where there are no agents
   */
  void arm(Optional<SluiceDeployment> deployment) {
    for (Fields at : changes) {
      Runnable change = change(at, deployment);
      Runnable noticed = () -> notice(deployment);
      long when = at.nanos("at", 0);
      long later = when + at.nanos("noticedAfter", 0);
      run(when, change);
      run(later, noticed);
    }
  }

  private void notice(Optional<SluiceDeployment> deployment) {
    built.network().computeRoutes();
    deployment.ifPresent(SluiceDeployment::topologyChanged);
  }

  private Runnable change(Fields at, Optional<SluiceDeployment> deployment) {
    if (at.has("endpoint")) {
      return move(at, deployment);
    }
    if (!at.has("up") && !at.has("rate")) {
      throw at.problem("", "nothing changes", "give up, rate, or both");
    }
    return at.has("link") ? changeLinks(at) : changeHosts(at, deployment);
  }

  private Runnable changeLinks(Fields at) {
    if (at.has("rate") && at.bitsPerSecond("rate", 0) <= 0) {
      throw at.problem("rate", "it must be above 0", "such as 1 Gbit/s; up: false for a failure");
    }
    List<Link> links = built.ports(at, "link").stream().map(Changes::link).toList();
    return () -> {
      for (Link link : links) {
        if (at.has("rate")) {
          link.setRateBitsPerSecond(at.bitsPerSecond("rate", 0));
        }
        if (at.has("up")) {
          link.setUp(at.flag("up", true));
        }
      }
    };
  }

  /** Both directions of what a port is one of. */
  private static Link link(Port port) {
    return new Link(port, port.opposite());
  }

  /** Whole hosts, or their agents alone. */
  private Runnable changeHosts(Fields at, Optional<SluiceDeployment> deployment) {
    String key = at.has("host") ? "host" : "agent";
    Host host = host(at, key);
    if (key.equals("agent") && deployment.isEmpty()) {
      throw at.problem(key, "hosts have no agents", "give a law with a controller");
    }
    boolean up = at.flag("up", true);
    return () -> {
      if (key.equals("host")) {
        link(host.nic()).setUp(up);
      }
      deployment.ifPresent(sluice -> sluice.setAgentUp(host, up));
    };
  }

  private Runnable move(Fields at, Optional<SluiceDeployment> deployment) {
    List<Endpoint> endpoints = built.endpoints(at, "endpoint");
    Host to = host(at, "to");
    return () -> {
      for (Endpoint endpoint : endpoints) {
        Host from = endpoint.host();
        endpoint.moveTo(to);
        deployment.ifPresent(sluice -> sluice.moved(endpoint, from));
      }
    };
  }

  private Host host(Fields at, String key) {
    Network network = built.network();
    Host found = network.host(at.text(key, ""));
    if (found == null) {
      List<String> names = network.hosts().stream().map(Host::name).toList();
      throw at.problem(
          key,
          "there is no host " + at.text(key, ""),
          "the hosts are " + BuiltScenario.summary(names));
    }
    return found;
  }

  private void run(long atNanos, Runnable action) {
    if (atNanos == 0) {
      action.run();
    } else {
      built.network().scheduler().arm(Event.running(action), atNanos);
    }
  }
}

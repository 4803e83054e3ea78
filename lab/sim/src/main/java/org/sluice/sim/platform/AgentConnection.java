// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.platform;

import java.util.ArrayList;
import java.util.List;
import java.util.function.LongFunction;
import org.sluice.api.HostId;
import org.sluice.api.link.DownlinkMessage;
import org.sluice.api.link.UnitShare;
import org.sluice.api.link.UplinkMessage;

/** An agent's connection to a controller node, which is open while both are there. */
public final class AgentConnection {
  private final AgentLinks links;
  private final HostId host;
  private final Agent agent;
  private final ControlChannel up;
  private final ControlChannel down;
  private List<DownlinkMessage> outbox = new ArrayList<>();

  /** Whether the agent runs. */
  private boolean alive = true;

  /** Grows with each session; what was sent in another one arrives nowhere. */
  private long session;

  private boolean open;

  AgentConnection(
      AgentLinks links, HostId host, Agent agent, ControlChannel up, ControlChannel down) {
    this.links = links;
    this.host = host;
    this.agent = agent;
    this.up = up;
    this.down = down;
  }

  HostId host() {
    return host;
  }

  /** Whether the controller has had its hello. */
  boolean isOpen() {
    return open;
  }

  Agent agent() {
    return agent;
  }

  /** The controller can be reached: the agent says hello. */
  void begin() {
    if (!alive) {
      return;
    }
    session++;
    long begun = session;
    UplinkMessage hello = UplinkMessage.ofSessionOpened(agent.hello());
    Runnable arrival =
        () -> {
          if (begun == session) {
            open = true;
            links.received(hello);
          }
        };
    if (links.isBeginning()) {
      arrival.run();
    } else {
      up.send(arrival);
    }
    agent.sessionBegan();
  }

  /** The controller is gone. */
  void end() {
    session++;
    open = false;
    outbox.clear();
    agent.sessionEnded();
  }

  /** The agent is gone: the controller learns of it as soon as its connection is closed. */
  public void agentDied() {
    alive = false;
    long begun = ++session;
    up.send(
        () -> {
          if (begun == session && open) {
            open = false;
            links.received(UplinkMessage.ofSessionClosed(host));
          }
        });
  }

  /** Neither end has received anything from the other for too long. */
  void timedOut() {
    if (open) {
      links.received(UplinkMessage.ofSessionClosed(host));
      end();
      up.reset();
      down.reset();
    }
  }

  /** The agent is there again. */
  public void agentStarted() {
    if (!alive) {
      alive = true;
      links.begin(this);
    }
  }

  /**
   * Sends a message to the controller, if there is one.
   *
   * @param message by the time of its arrival
   */
  public void send(LongFunction<UplinkMessage> message) {
    long begun = session;
    up.send(
        () -> {
          if (begun == session && open) {
            links.received(message.apply(links.now()));
          }
        });
  }

  /** Has the agent get a message. */
  void post(DownlinkMessage message) {
    outbox.add(message);
  }

  /** Sends what was posted. */
  void flush() {
    if (outbox.isEmpty()) {
      return;
    }
    List<DownlinkMessage> posted = withSharesTogether(outbox);
    outbox = new ArrayList<>();
    for (DownlinkMessage message : posted) {
      if (links.isBeginning()) {
        deliver(message);
      } else {
        down.send(() -> deliver(message));
      }
    }
  }

  /** One message has what all switches' ports publish at a moment, as the agent link's have. */
  private static List<DownlinkMessage> withSharesTogether(List<DownlinkMessage> posted) {
    List<DownlinkMessage> result = new ArrayList<>(posted.size());
    List<UnitShare> shares = new ArrayList<>();
    int at = 0;
    for (DownlinkMessage message : posted) {
      if (message.kind() == DownlinkMessage.Kind.UNIT_SHARES) {
        at = shares.isEmpty() ? result.size() : at;
        shares.addAll(message.unitShares());
      } else {
        result.add(message);
      }
    }
    if (!shares.isEmpty()) {
      result.add(at, DownlinkMessage.ofUnitShares(shares));
    }
    return result;
  }

  private void deliver(DownlinkMessage message) {
    if (alive) {
      agent.received(message);
    }
  }

  /** Messages to the controller, lost ones too. */
  public long sentUp() {
    return up.sent();
  }

  /** Messages from the controller, lost ones too. */
  public long sentDown() {
    return down.sent();
  }

  /** Messages in both directions that had to be sent again, each time. */
  public long lost() {
    return up.lost() + down.lost();
  }
}

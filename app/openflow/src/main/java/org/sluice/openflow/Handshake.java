// SPDX-License-Identifier: Apache-2.0
package org.sluice.openflow;

import java.util.List;
import org.projectfloodlight.openflow.protocol.OFControllerRole;
import org.projectfloodlight.openflow.protocol.OFFeaturesReply;
import org.projectfloodlight.openflow.protocol.OFMessage;
import org.projectfloodlight.openflow.protocol.OFRoleReply;
import org.projectfloodlight.openflow.types.U64;

/**
 * How a connection becomes a slave's. After HELLO it requests the role with NOCHANGE, which says
 * the generation_id that the switch holds, and requests SLAVE with that one. An own, higher one
 * would make the switch refuse its true controller at that one's next reconnect. Until the switch
 * has said SLAVE nothing else is requested, and what it sends meanwhile as to an equal is not read.
 */
final class Handshake {
  /** Another controller may raise the generation_id between the two requests. */
  private static final int ATTEMPTS = 3;

  private enum State {
    AWAITS_HELLO,
    AWAITS_GENERATION,
    AWAITS_SLAVE,
    AWAITS_FEATURES,
    DONE
  }

  private final Xids xids;
  private State state = State.AWAITS_HELLO;
  private int attempts;
  private long awaitedXid;
  private U64 generationId = U64.ZERO;
  private long datapathId;

  Handshake(Xids xids) {
    this.xids = xids;
  }

  /** What to say first. */
  OFMessage begin() {
    return Messages.hello(xids.next());
  }

  /** Whether the switch has made this connection a slave's and said who it is. */
  boolean isDone() {
    return state == State.DONE;
  }

  boolean awaitsHello() {
    return state == State.AWAITS_HELLO;
  }

  /** The switch's number; only once it is done. */
  long datapathId() {
    return datapathId;
  }

  /**
   * Goes on with what came.
   *
   * @return what to send; empty: nothing
   * @throws ProtocolFault if the two cannot become controller and switch
   */
  List<OFMessage> received(Frame frame) throws ProtocolFault {
    switch (frame.type()) {
      case Frame.HELLO:
        return hello();
      case Frame.ROLE_REPLY:
        return role(frame);
      case Frame.FEATURES_REPLY:
        return features(frame);
      case Frame.ERROR:
        return error(frame);
      default:
        return List.of();
    }
  }

  private List<OFMessage> hello() throws ProtocolFault {
    if (state != State.AWAITS_HELLO) {
      throw new ProtocolFault("HELLO came twice");
    }
    return requestGeneration();
  }

  private List<OFMessage> requestGeneration() throws ProtocolFault {
    if (++attempts > ATTEMPTS) {
      throw new ProtocolFault("it refused the role of a slave " + ATTEMPTS + " times");
    }
    state = State.AWAITS_GENERATION;
    awaitedXid = xids.next();
    return List.of(Messages.role(OFControllerRole.ROLE_NOCHANGE, U64.ZERO, awaitedXid));
  }

  private List<OFMessage> role(Frame frame) throws ProtocolFault {
    if (frame.xid() != awaitedXid) {
      return List.of();
    }
    OFRoleReply reply = expect(OFRoleReply.class, frame);
    if (state == State.AWAITS_GENERATION) {
      generationId = reply.getGenerationId();
      state = State.AWAITS_SLAVE;
      awaitedXid = xids.next();
      return List.of(Messages.role(OFControllerRole.ROLE_SLAVE, generationId, awaitedXid));
    }
    if (state != State.AWAITS_SLAVE) {
      return List.of();
    }
    if (reply.getRole() != OFControllerRole.ROLE_SLAVE) {
      throw new ProtocolFault("its reply to the request for SLAVE has the role " + reply.getRole());
    }
    state = State.AWAITS_FEATURES;
    awaitedXid = xids.next();
    return List.of(Messages.features(awaitedXid));
  }

  private List<OFMessage> features(Frame frame) throws ProtocolFault {
    if (state != State.AWAITS_FEATURES || frame.xid() != awaitedXid) {
      return List.of();
    }
    OFFeaturesReply reply = expect(OFFeaturesReply.class, frame);
    if (reply.getAuxiliaryId().getValue() != 0) {
      throw new ProtocolFault("it is an auxiliary connection");
    }
    datapathId = reply.getDatapathId().getLong();
    state = State.DONE;
    return List.of();
  }

  private List<OFMessage> error(Frame frame) throws ProtocolFault {
    if (frame.xid() != awaitedXid || state == State.DONE) {
      return List.of();
    }
    if (state == State.AWAITS_SLAVE) {
      return requestGeneration(); // Stale by now: request it again.
    }
    throw new ProtocolFault("it replied to a request of the handshake with an error");
  }

  private static <T extends OFMessage> T expect(Class<T> type, Frame frame) throws ProtocolFault {
    OFMessage message = frame.parse();
    if (!type.isInstance(message)) {
      throw new ProtocolFault("a message of type " + frame.type() + " is no " + type.getName());
    }
    return type.cast(message);
  }
}

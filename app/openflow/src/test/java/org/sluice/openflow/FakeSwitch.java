// SPDX-License-Identifier: Apache-2.0
package org.sluice.openflow;

import io.netty.buffer.Unpooled;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.util.Arrays;
import org.projectfloodlight.openflow.protocol.OFControllerRole;
import org.projectfloodlight.openflow.protocol.OFMessage;
import org.projectfloodlight.openflow.protocol.OFType;

/** The other end of a connection, as far as a test drives it; it waits at most five seconds. */
final class FakeSwitch implements AutoCloseable {
  private static final int TIMEOUT_MILLIS = 5000;
  private static final int LENGTH_OFFSET = 2;

  private final Socket socket;
  private final DataInputStream in;
  private final OutputStream out;

  FakeSwitch(int port) throws IOException {
    socket = new Socket(InetAddress.getLoopbackAddress(), port);
    socket.setSoTimeout(TIMEOUT_MILLIS);
    in = new DataInputStream(socket.getInputStream());
    out = socket.getOutputStream();
  }

  /** One that has shaken hands as OVS does. */
  static FakeSwitch connected(int port, long dpid) throws Exception {
    FakeSwitch made = new FakeSwitch(port);
    made.shakeHands(dpid);
    return made;
  }

  void shakeHands(long dpid) throws Exception {
    expect(OFType.HELLO);
    send(Messages.hello(1));
    OFMessage noChange = expect(OFType.ROLE_REQUEST);
    send(SwitchMessages.role(OFControllerRole.ROLE_EQUAL, 3, noChange.getXid()));
    OFMessage slave = expect(OFType.ROLE_REQUEST);
    send(SwitchMessages.role(OFControllerRole.ROLE_SLAVE, 3, slave.getXid()));
    OFMessage features = expect(OFType.FEATURES_REQUEST);
    send(SwitchMessages.features(dpid, 0, features.getXid()));
  }

  void send(OFMessage message) throws IOException {
    send(SwitchMessages.bytes(message));
  }

  void send(byte[] bytes) throws IOException {
    out.write(bytes);
    out.flush();
  }

  OFMessage read() throws Exception {
    byte[] header = new byte[Frame.HEADER_BYTES];
    in.readFully(header);
    int length = (header[LENGTH_OFFSET] & 0xff) << 8 | header[LENGTH_OFFSET + 1] & 0xff;
    byte[] all = Arrays.copyOf(header, length);
    in.readFully(all, header.length, length - header.length);
    return new Frame(Unpooled.wrappedBuffer(all)).parse();
  }

  /** The next message, which must be of this type. */
  OFMessage expect(OFType type) throws Exception {
    OFMessage message = read();
    if (message.getType() != type) {
      throw new AssertionError("expected " + type + ", but came " + message);
    }
    return message;
  }

  /** Whether the other end closes the connection within five seconds, whatever it says before. */
  boolean isClosedByPeer() throws Exception {
    try {
      for (int messages = 0; messages < 10_000; messages++) {
        read();
      }
      return false;
    } catch (EOFException | SocketException e) {
      return true;
    }
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}

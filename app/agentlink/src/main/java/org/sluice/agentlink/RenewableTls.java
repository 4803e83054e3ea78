// SPDX-License-Identifier: Apache-2.0
package org.sluice.agentlink;

import io.grpc.netty.shaded.io.netty.buffer.ByteBufAllocator;
import io.grpc.netty.shaded.io.netty.handler.ssl.ApplicationProtocolNegotiator;
import io.grpc.netty.shaded.io.netty.handler.ssl.SslContext;
import java.util.List;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLSessionContext;

/** TLS as the newest files have it: each connection keeps to what it began with. */
@SuppressWarnings("deprecation") // One method that has to be implemented returns a deprecated type.
final class RenewableTls extends SslContext {
  private volatile SslContext newest;

  RenewableTls(SslContext first) {
    newest = first;
  }

  void renew(SslContext next) {
    newest = next;
  }

  @Override
  public boolean isClient() {
    return newest.isClient();
  }

  @Override
  public List<String> cipherSuites() {
    return newest.cipherSuites();
  }

  @Override
  public ApplicationProtocolNegotiator applicationProtocolNegotiator() {
    return newest.applicationProtocolNegotiator();
  }

  @Override
  public SSLEngine newEngine(ByteBufAllocator allocator) {
    return newest.newEngine(allocator);
  }

  @Override
  public SSLEngine newEngine(ByteBufAllocator allocator, String peerHost, int peerPort) {
    return newest.newEngine(allocator, peerHost, peerPort);
  }

  @Override
  public SSLSessionContext sessionContext() {
    return newest.sessionContext();
  }
}

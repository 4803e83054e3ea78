// SPDX-License-Identifier: Apache-2.0
package org.sluice.agentlink;

import io.grpc.stub.ServerCallStreamObserver;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import org.sluice.agentlink.proto.ControllerMessage;

/** The agent's end of a session that nobody has called for: what it is told becomes bytes. */
final class RehearsedCall extends ServerCallStreamObserver<ControllerMessage> {
  private final OutputStream nowhere = OutputStream.nullOutputStream();
  private boolean ended;

  @Override
  public void onNext(ControllerMessage message) {
    try {
      message.writeTo(nowhere);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  boolean isEnded() {
    return ended;
  }

  @Override
  public void onError(Throwable reason) {
    ended = true;
  }

  @Override
  public void onCompleted() {
    ended = true;
  }

  @Override
  public boolean isReady() {
    return !ended;
  }

  @Override
  public boolean isCancelled() {
    return ended;
  }

  // There is neither a transport that could be slow, nor one that could fail.

  @Override
  public void disableAutoRequest() {}

  @Override
  public void disableAutoInboundFlowControl() {}

  @Override
  public void request(int messages) {}

  @Override
  public void setOnReadyHandler(Runnable handler) {}

  @Override
  public void setOnCancelHandler(Runnable handler) {}

  @Override
  public void setCompression(String compression) {}

  @Override
  public void setMessageCompression(boolean enable) {}
}

// SPDX-License-Identifier: Apache-2.0
package org.sluice.lab.onos.openflow.flow;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.projectfloodlight.openflow.protocol.OFErrorMsg;
import org.projectfloodlight.openflow.protocol.OFFactories;
import org.projectfloodlight.openflow.protocol.OFFactory;
import org.projectfloodlight.openflow.protocol.OFFlowModFailedCode;
import org.projectfloodlight.openflow.protocol.OFMessage;
import org.projectfloodlight.openflow.protocol.OFVersion;
import org.projectfloodlight.openflow.types.OFErrorCauseData;
import org.projectfloodlight.openflow.types.U64;

class RefusedFlowTest {

  private static final OFFactory FACTORY = OFFactories.getFactory(OFVersion.OF_13);

  @Test
  void readsTheCookieFromTheRejectedMessage() {
    OFMessage refused = FACTORY.buildFlowAdd().setCookie(U64.of(0x10000abcdL)).build();
    assertEquals(OptionalLong.of(0x10000abcdL), RefusedFlow.cookie(errorAbout(refused)));
  }

  @Test
  void errorForAnotherMessageHasNoFlow() {
    OFMessage refused = FACTORY.buildBarrierRequest().build();
    assertEquals(OptionalLong.empty(), RefusedFlow.cookie(errorAbout(refused)));
  }

  private static OFErrorMsg errorAbout(OFMessage refused) {
    ByteBuf written = Unpooled.buffer();
    refused.writeTo(written);
    byte[] first = new byte[Math.min(64, written.readableBytes())];
    written.readBytes(first);
    return FACTORY
        .errorMsgs()
        .buildFlowModFailedErrorMsg()
        .setCode(OFFlowModFailedCode.UNKNOWN)
        .setData(OFErrorCauseData.of(first, OFVersion.OF_13))
        .build();
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.sluice.openflow;

import java.util.List;
import org.projectfloodlight.openflow.protocol.OFControllerRole;
import org.projectfloodlight.openflow.protocol.OFFactories;
import org.projectfloodlight.openflow.protocol.OFFactory;
import org.projectfloodlight.openflow.protocol.OFHelloFailedCode;
import org.projectfloodlight.openflow.protocol.OFMessage;
import org.projectfloodlight.openflow.protocol.OFVersion;
import org.projectfloodlight.openflow.types.OFPort;
import org.projectfloodlight.openflow.types.U32;
import org.projectfloodlight.openflow.types.U64;
import org.sluice.polling.PollRequest;

/** All that is ever sent to a switch. Nothing of it changes what a switch does to packets. */
final class Messages {
  private static final OFFactory FACTORY = OFFactories.getFactory(OFVersion.OF_13);

  private Messages() {}

  static OFMessage hello(long xid) {
    U32 onlyVersion13 = U32.of(1 << Frame.VERSION_13);
    return FACTORY
        .buildHello()
        .setXid(xid)
        .setElements(
            List.of(
                FACTORY.buildHelloElemVersionbitmap().setBitmaps(List.of(onlyVersion13)).build()))
        .build();
  }

  static OFMessage helloFailed(long xid) {
    return FACTORY
        .errorMsgs()
        .buildHelloFailedErrorMsg()
        .setXid(xid)
        .setCode(OFHelloFailedCode.INCOMPATIBLE)
        .build();
  }

  static OFMessage role(OFControllerRole role, U64 generationId, long xid) {
    return FACTORY
        .buildRoleRequest()
        .setXid(xid)
        .setRole(role)
        .setGenerationId(generationId)
        .build();
  }

  static OFMessage features(long xid) {
    return FACTORY.buildFeaturesRequest().setXid(xid).build();
  }

  static OFMessage echo(long xid) {
    return FACTORY.buildEchoRequest().setXid(xid).build();
  }

  static OFMessage echoReply(byte[] data, long xid) {
    return FACTORY.buildEchoReply().setXid(xid).setData(data).build();
  }

  static OFMessage statistics(PollRequest request, long xid) {
    return request.kind() == PollRequest.Kind.PORT
        ? FACTORY
            .buildPortStatsRequest()
            .setXid(xid)
            .setPortNo(OFPort.of((int) request.number()))
            .build()
        : FACTORY.buildMeterStatsRequest().setXid(xid).setMeterId(request.number()).build();
  }
}

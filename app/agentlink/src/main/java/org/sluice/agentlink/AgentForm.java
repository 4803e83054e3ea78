// SPDX-License-Identifier: Apache-2.0
package org.sluice.agentlink;

import com.google.protobuf.ByteString;
import org.sluice.agentlink.proto.AgentMessage;
import org.sluice.agentlink.proto.Endpoint;
import org.sluice.agentlink.proto.FlowNews;
import org.sluice.agentlink.proto.FlowReport;
import org.sluice.agentlink.proto.Hello;
import org.sluice.agentlink.proto.LossReport;
import org.sluice.agentlink.proto.Nic;
import org.sluice.agentlink.proto.PortObservation;
import org.sluice.agentlink.proto.PortQueueSample;
import org.sluice.api.PortId;
import org.sluice.api.link.HostHello;
import org.sluice.api.link.Loss;
import org.sluice.api.link.PortQueueObservation;
import org.sluice.api.link.ReportedEndpoint;

/** The wire form of what an agent says, as far as a {@link LinkRehearsal} has one say it. */
final class AgentForm {

  private AgentForm() {}

  static AgentMessage.Builder hello(HostHello hello) {
    Hello.Builder body =
        Hello.newBuilder()
            .setProtocolVersion(InboundReader.PROTOCOL_VERSION)
            .setHost(hello.host().name())
            .setAgentVersion(hello.agentVersion())
            .setUplink(
                Nic.newBuilder()
                    .setInterface(hello.uplink())
                    .setMac(ByteString.copyFrom(hello.uplinkMac().toBytes()))
                    .setCapacityBitsPerSecond(hello.uplinkCapacityBitsPerSecond()));
    for (ReportedEndpoint endpoint : hello.endpoints()) {
      Endpoint.Builder one =
          Endpoint.newBuilder()
              .setInterface(endpoint.id().interfaceName())
              .setMac(ByteString.copyFrom(endpoint.mac().toBytes()));
      endpoint.ips().forEach(ip -> one.addIps(ByteString.copyFrom(ip.toBytes())));
      body.addEndpoints(one);
    }
    hello.switchPorts().stream().map(PortId::toString).forEach(body::addSwitchPorts);
    return AgentMessage.newBuilder().setHello(body);
  }

  static AgentMessage.Builder flowReport(org.sluice.api.link.FlowReport report) {
    FlowReport.Builder body = FlowReport.newBuilder().setComplete(report.complete());
    for (org.sluice.api.link.FlowNews news : report.flows()) {
      FlowNews.Builder one =
          FlowNews.newBuilder()
              .setFlow(FlowForm.flow(news.flow()))
              .setState(FlowNews.State.valueOf(news.state().name()))
              .setDeliveredBytes(news.deliveredBytes())
              .setRoundTripNanos(news.roundTripNanos())
              .setProgressAgeNanos(news.progressAgeNanos());
      news.acknowledgedSequence().ifPresent(number -> one.setAcknowledgedSequence((int) number));
      body.addFlows(one);
    }
    return AgentMessage.newBuilder().setFlowReport(body);
  }

  static AgentMessage.Builder portObservation(PortQueueObservation observation) {
    PortObservation.Builder body =
        PortObservation.newBuilder().setIntervalNanos(observation.intervalNanos());
    for (org.sluice.api.link.PortQueueSample sample : observation.ports()) {
      body.addPorts(
          PortQueueSample.newBuilder()
              .setPort(sample.port().toString())
              .setSentPackets(sample.sentPackets())
              .setSentBytes(sample.sentBytes())
              .setMarkedPackets(sample.markedPackets())
              .setOverThresholdPackets(sample.overThresholdPackets())
              .setDroppedPackets(sample.droppedPackets())
              .setBacklogPackets(sample.backlogPackets())
              .setBacklogBytes(sample.backlogBytes()));
    }
    return AgentMessage.newBuilder().setPortObservation(body);
  }

  static AgentMessage.Builder lossReport(org.sluice.api.link.LossReport report) {
    LossReport.Builder body = LossReport.newBuilder();
    for (Loss loss : report.losses()) {
      body.addLosses(
          org.sluice.agentlink.proto.Loss.newBuilder()
              .setPort(loss.port().toString())
              .setFlow(FlowForm.flow(loss.flow()))
              .setSequence((int) loss.sequence())
              .setPayloadBytes(loss.payloadBytes())
              .setKept(loss.kept()));
    }
    return AgentMessage.newBuilder().setLossReport(body);
  }
}

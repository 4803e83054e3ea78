// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine;

/** All tables of one engine. They refer to each other's rows. */
final class World {
  final HostTable hosts = new HostTable();
  final EndpointTable endpoints = new EndpointTable();
  final AddressBook addresses = new AddressBook();
  final PortTable ports = new PortTable();
  final PathTable paths = new PathTable(ports);
  final CrossingTable crossings = new CrossingTable(ports);
  final PairTable pairs = new PairTable();
  final Counters counters = new Counters();
  final Links links = new Links(ports);
  final MarkMeters meters = new MarkMeters(ports, counters);
  final PacketRates rates = new PacketRates(ports, counters);
  final PortQueues queues = new PortQueues(ports, counters);
  final HostMarks hostMarks = new HostMarks(ports);
  final Reservations reservations = new Reservations();
  final Transits transits = new Transits(this);

  /** Grows when the capacity of a NIC changes, which may bound any endpoint. */
  int nicVersion;

  /** Makes room, in what is kept by port, for those that have come. */
  void followPorts() {
    links.follow();
    meters.follow();
    rates.follow();
    queues.follow();
    hostMarks.follow();
  }

  /** The lower of an endpoint's ceiling and its host's NIC, bit/s; without both, no bound. */
  long mostBitsPerSecond(int endpoint) {
    long ceiling = endpoints.ceilingBitsPerSecond[endpoint];
    long nic = hosts.nicBitsPerSecond[endpoints.host[endpoint]];
    return Math.min(ceiling > 0 ? ceiling : Long.MAX_VALUE, nic > 0 ? nic : Long.MAX_VALUE);
  }
}

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

  /** Grows when the capacity of a NIC changes, which may bound any endpoint. */
  int nicVersion;
}

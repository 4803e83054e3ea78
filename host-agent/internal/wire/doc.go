// SPDX-License-Identifier: Apache-2.0

// Package wire is the codec of the messages that agents send each other in band, through the
// tenants' network, as packets of an own IP protocol (default 253, RFC 3692). Agents divert them
// before any VM sees them, and VMs cannot send them.
//
// Feedback reports what arrived from a source at a destination. It travels back along the reverse path
// of the data, from the destination VM's address to the source VM's:
//
//	Ethernet   destination: source VM's MAC   source: destination VM's MAC   type 0800 or 86dd
//	IP         source: destination VM         destination: source VM         protocol 253, ECT(0)
//	message    64 bytes, big endian:
//
//	  0  version        1      8 bits
//	  1  type           1 = feedback, 2 = notice (of a controller, see below), 3 = echo, 4 = answer to an echo, 5 = share
//	  2  flags          bit 0: signed; others 0
//	  3  reserved       0
//	  4  key id         32 bits; 0 when unsigned
//	  8  instance       32 bits; of the sending agent, counters restart with it
//	 12  period         32 bits; microseconds since the sender's previous message on this pair
//	 16  sequence       64 bits; grows by one per message on a pair
//	 24  packets        64 bits; counted since the instance began
//	 32  CE packets     64 bits
//	 40  bytes          64 bits
//	 48  authenticator  128 bits; 0 when unsigned
//
// An echo measures the round-trip time between two agents. It travels along the path of the data, its
// answer along the path of the feedback. Both have the same layout up to the sequence, but for
//
//	 8  reserved       0
//	12  loop period    32 bits; microseconds, of the agent that sends the message
//	24  sent           64 bits; nanoseconds, the measuring agent's clock; repeated in the answer
//	32  held           64 bits; nanoseconds from the echo's arrival to the answer; 0 in an echo
//	40  reserved       0
//
// An answer has the sequence of its echo. An agent counts all of its echoes in one sequence.
//
// A share relays to the agent of a source whose packets are marked what the controller published about
// a port on their path. It travels along the path of the feedback, after it and at most every 20 ms per pair,
// and has the same layout but for
//
//	 8  port number    32 bits; OpenFlow's, 1 to 0xffffff00
//	12  active weight  32 bits; IEEE 754, finite, >= 0: W, of all sources that are active through the port
//	16  sequence       64 bits; grows by one per share on a pair
//	24  datapath id    64 bits
//	32  unit share     64 bits; bit/s, 1 to 10^14: what weight 1 may send through the port
//	40  stale          1 bit; the sender has not received this from a controller for 3 s
//	    capacity       63 bits; bit/s, 1 to 10^14: of the port
//
// Shares of ports that are not named by datapath id and number cannot be sent.
//
// Counters are cumulative, so that a lost message costs nothing. Packets are ECT(0): a port that
// drops what cannot be marked would otherwise drop feedback first.
//
// # Authentication
//
// The authenticator is HMAC-SHA-256, truncated to 16 bytes, over the protocol number, both IP
// addresses (source first; IPv4 as IPv4-mapped IPv6) and the first 48 bytes of the message. The
// key comes from the controller. The newest key signs; the newest and the one before verify. An
// unsigned message is sent and accepted only where the configuration allows it (stand-alone agents
// have no key) and only as long as no key is known.
//
// # Notices
//
// Notices come from controllers, not from agents: NoticeDecoder reads them, each controller node has
// keys of its own for each host, and their layout is another one (docs/notices.md).
//
// # Replay
//
// A sequence starts at the wall clock's Unix time in nanoseconds when a pair's counting begins, so
// that it is ahead of all earlier ones after a restart of the agent or a move of the VM, and needs
// no state. A receiver keeps, per pair and type, a window of the last 64 sequence numbers: each is accepted
// once, in any order within the window; arithmetic is modulo 2^64. Should a clock have been set
// back, the first message under the next key opens a new window.
package wire

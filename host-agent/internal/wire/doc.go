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
//	  1  type           1 = feedback, 2 = notice (of a controller, see below), 3 = echo, 4 = answer to an echo,
//	                    5 = share, 6 = certificate
//	  2  flags          bit 0: signed; others 0
//	  3  reserved       0
//	  4  key id         32 bits; of the key between the two agents; 0 when unsigned
//	  8  instance       32 bits; of the sending agent, counters restart with it
//	 12  period         32 bits; microseconds since the sender's previous message on this pair
//	 16  sequence       64 bits; the sender's time, see below
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
// An answer has the sequence of its echo.
//
// A share relays to the agent of a source whose packets are marked what the controller published about
// a port on their path. It travels along the path of the feedback, after it and at most every 20 ms per pair,
// and has the same layout but for
//
//	 8  port number    32 bits; OpenFlow's, 1 to 0xffffff00
//	12  active weight  32 bits; IEEE 754, finite, >= 0: W, of all sources that are active through the port
//	16  sequence       64 bits
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
// # Certificates
//
// An agent makes an X25519 key pair (RFC 7748) when it starts, and sends its controllers the public key. The
// policy leader signs for every address that the cluster's claims give the host's endpoints that it is of who
// has that key. Agents show each other these certificates, in messages of an own length:
//
//	 0  version        1      8 bits
//	 1  type           6
//	 2  reserved       0
//	 4  authority      32 bits; the number of its key that signed
//	 8  request        64 bits; a number that only the receiver gets; 0: no certificate is requested
//	16  answer         64 bits; the request that this answers; 0: of none
//	24  issued         64 bits; milliseconds since 1970 or more; grows with every certificate
//	32  public key     256 bits
//	64  signature      512 bits; r and s of ECDSA on P-256 with SHA-256
//
// The address is the IP source. The signature is over the text "sluice peer certificate 1", the authority's
// number (4 bytes), the address (16 bytes, IPv4 as IPv4-mapped IPv6), the time of issue and the public key. The
// authority's newest key and the one before are accepted, so a certificate is valid for one to two hours after
// it was issued, and for as long as no controller is there to rotate keys.
//
// An agent that has something to send to an address without a known certificate sends its own with a request. So does one
// that receives something that it cannot check. A certificate is only checked if it repeats a number that was sent to
// its address a moment ago: who cannot receive there cannot have anything checked or changed. Two agents have
// each other's certificates after a round trip:
//
//	receiver of data -> source    certificate, request 7
//	source -> receiver            certificate, answer 7, request 9    the receiver checks, and has the source's
//	receiver -> source            certificate, answer 9; feedback     the source checks, and has the receiver's
//
// Checking a certificate and deriving the key takes 0.1 ms (BenchmarkAccept). Of two certificates for one
// address the one issued later holds: a VM has moved. An older one is refused while the later one is known.
//
// # Authentication
//
// The key between two agents is derived by HKDF-SHA-256 (RFC 5869), without salt, from the X25519 secret of both, over
// the text "sluice peer messages 1" and both public keys, the smaller first: 32 bytes of key, 4 of key id, 8 that
// distinguish windows. Nobody else has it, no controller either. The authenticator is HMAC-SHA-256, truncated to
// 16 bytes, over the protocol number, both IP addresses (source first; IPv4 as IPv4-mapped IPv6) and the first 48
// bytes of the message. A key id that is not the known one shows that either agent has started anew. An unsigned
// message is sent and accepted only where the configuration allows it (stand-alone agents have no controller) and
// only as long as no authority is known.
//
// # Notices
//
// Notices come from controllers, not from agents: NoticeDecoder reads them, each controller node has
// keys of its own for each host, and their layout is another one (docs/notices.md).
//
// # Replay
//
// A sequence number is the sender's time in nanoseconds since 1970, as the wall clock gave it when the agent
// started and the monotonic clock has counted since, and more than the one before. A receiver keeps, per pair,
// type and key, a window of the last 64 numbers: each is accepted once, in any order within the window; arithmetic
// is modulo 2^64. Of windows that were given up, for their age or for others, it remembers per key and type the
// highest number: what a sender sends later is ahead of it, whatever the pair.
//
// Only who has the key moves a window. So there is no bound on how far ahead a number may be: it could keep out a
// true sender, and nobody else can be kept out. A new key, of an agent that started anew or of the host to which a VM
// moved, begins another window, wherever its clock is.
package wire

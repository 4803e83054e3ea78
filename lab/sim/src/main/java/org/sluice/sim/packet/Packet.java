// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.packet;

/**
 * A packet: plain fields, for speed. It belongs to one place at a time: a socket that has made it,
 * a queue, a wire, the socket that receives it. Whoever takes it from the network gives it back to
 * the {@link PacketPool}.
 */
public final class Packet {
  /** TCP flags, as bits. */
  public static final int SYN = 1;

  public static final int ACK = 2;
  public static final int FIN = 4;
  public static final int RST = 8;

  /** ECN-Echo and Congestion Window Reduced (RFC 3168, section 6.1). */
  public static final int ECE = 16;

  public static final int CWR = 32;

  /** The level of what nobody has given one: the default DSCP's. */
  public static final byte LAST_LEVEL = Byte.MAX_VALUE;

  /** As many SACK blocks as fit beside a timestamp (RFC 2018). */
  public static final int MAX_SACK_BLOCKS = 3;

  /** Endpoint numbers of the network. */
  public int source;

  public int destination;

  /** TCP's ports. */
  public int sourcePort;

  public int destinationPort;

  /** Picks one of several equal paths; the same for all packets of one direction of a flow. */
  public int flowHash;

  /** One of {@link Protocol}. */
  public byte protocol;

  /** Takes it in at its destination. */
  public Receiver receiver;

  /** Headers from IP upwards, and payload. */
  public int ipBytes;

  /** What the application gets of it. */
  public int payloadBytes;

  /** One of {@link Ecn}: on the wire. */
  public byte ecn;

  /** One of {@link Ecn}: as the virtual machine sent it, which a shim restores at the far end. */
  public byte originalEcn;

  /** The reserved bit of the IPv4 header, in which HyGenICC reflects marks. */
  public boolean reservedBit;

  /** The class of the host's own queue that it waits in; what it means is up to the queue. */
  public int queueClass;

  /** Level of priority, 0 for the highest: what a DSCP stands for. */
  public byte level = LAST_LEVEL;

  /** When it entered the queue that it is in, or was in last, ns. */
  public long enqueuedNanos;

  /** First byte, counted from 0 at the start of the connection: never wraps. */
  public long sequence;

  /** The next byte expected, when {@link #ACK} is set. */
  public long acknowledgement;

  /** Of {@link #SYN} ... {@link #CWR}. */
  public int flags;

  /** Receive window, bytes, scale applied. */
  public long windowBytes;

  /** When the sender sent it, and the same of the packet that it answers (RFC 7323), ns. */
  public long timestampNanos;

  public long timestampEchoNanos;

  /** In a SYN: whether its sender takes selective acknowledgements (RFC 2018). */
  public boolean sackPermitted;

  /** Blocks above the acknowledgement that have arrived: [left, right), the newest first. */
  public int sackBlocks;

  public final long[] sackLeft = new long[MAX_SACK_BLOCKS];
  public final long[] sackRight = new long[MAX_SACK_BLOCKS];

  /** A feedback message's counts, and whom they are about. */
  public long feedbackPackets;

  public long feedbackMarks;

  /** What a message between shims carries beyond counts: something that does not change. */
  public Object attachment;

  /** Set while it lies in the pool, to find packets that are given back twice. */
  boolean pooled;

  Packet() {}

  void clear() {
    source = 0;
    destination = 0;
    sourcePort = 0;
    destinationPort = 0;
    flowHash = 0;
    protocol = 0;
    receiver = null;
    ipBytes = 0;
    payloadBytes = 0;
    ecn = Ecn.NOT_ECT;
    originalEcn = Ecn.NOT_ECT;
    reservedBit = false;
    queueClass = 0;
    level = LAST_LEVEL;
    sequence = 0;
    acknowledgement = 0;
    flags = 0;
    windowBytes = 0;
    timestampNanos = 0;
    timestampEchoNanos = 0;
    sackPermitted = false;
    sackBlocks = 0;
    feedbackPackets = 0;
    feedbackMarks = 0;
    attachment = null;
  }

  /** Becomes what another is, where it lies apart. */
  public void copy(Packet other) {
    source = other.source;
    destination = other.destination;
    sourcePort = other.sourcePort;
    destinationPort = other.destinationPort;
    flowHash = other.flowHash;
    protocol = other.protocol;
    receiver = other.receiver;
    ipBytes = other.ipBytes;
    payloadBytes = other.payloadBytes;
    ecn = other.ecn;
    originalEcn = other.originalEcn;
    reservedBit = other.reservedBit;
    queueClass = other.queueClass;
    level = other.level;
    sequence = other.sequence;
    acknowledgement = other.acknowledgement;
    flags = other.flags;
    windowBytes = other.windowBytes;
    timestampNanos = other.timestampNanos;
    timestampEchoNanos = other.timestampEchoNanos;
    sackPermitted = other.sackPermitted;
    sackBlocks = other.sackBlocks;
    System.arraycopy(other.sackLeft, 0, sackLeft, 0, sackBlocks);
    System.arraycopy(other.sackRight, 0, sackRight, 0, sackBlocks);
    feedbackPackets = other.feedbackPackets;
    feedbackMarks = other.feedbackMarks;
    attachment = other.attachment;
  }

  /** Whether a queue may mark it instead of dropping it. */
  public boolean isEct() {
    return ecn != Ecn.NOT_ECT;
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.sluice.polling;

/**
 * What a request and its reply take on the wire: Ethernet, IPv4 and TCP headers and
 * acknowledgements included, in both directions.
 */
final class WireCost {
  /** Ethernet 14, IPv4 20, TCP 32 bytes with time stamps. */
  private static final int HEADER_BYTES = 66;

  /** A frame of 1514 bytes less its headers. */
  private static final int SEGMENT_BYTES = 1448;

  private static final int SEGMENTS_PER_ACKNOWLEDGEMENT = 2;

  private WireCost() {}

  /**
   * What reading something costs.
   *
   * @param replyBytes OpenFlow bytes of the reply
   * @param soon whether the next request follows within the 40 ms for which TCP holds back an
   *     acknowledgement: then it carries the last one
   */
  static long bits(long replyBytes, boolean soon) {
    long segments = (replyBytes + SEGMENT_BYTES - 1) / SEGMENT_BYTES;
    long acknowledgements = (segments + (soon ? 0 : 1)) / SEGMENTS_PER_ACKNOWLEDGEMENT;
    long headers = 1 + segments + acknowledgements;
    return 8 * (PollRequest.REQUEST_BYTES + replyBytes + headers * HEADER_BYTES);
  }
}

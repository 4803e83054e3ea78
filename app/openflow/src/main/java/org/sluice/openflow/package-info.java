// SPDX-License-Identifier: Apache-2.0
/**
 * Fast counters: an OpenFlow 1.3 endpoint that switches take as a second controller. It asks for
 * the role of a slave, so that it may read and do nothing else, and reads port and meter counters
 * every few milliseconds where it matters. It knows no controller: who is to be read, and what
 * becomes of the samples, is somebody else's affair.
 */
package org.sluice.openflow;

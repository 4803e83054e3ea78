// SPDX-License-Identifier: Apache-2.0
/**
 * Fast counters: an OpenFlow 1.3 endpoint that switches take as a second controller. It requests
 * the role of a slave, so that it may read and do nothing else, and reads port and meter counters
 * every few milliseconds where it matters. It uses no controller type: who is to be read, and what
 * becomes of the samples, is somebody else's affair.
 */
package org.sluice.openflow;

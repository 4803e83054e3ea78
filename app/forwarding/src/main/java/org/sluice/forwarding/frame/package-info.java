// SPDX-License-Identifier: Apache-2.0
/** Frames that switches send to the controller, and those that it sends, byte by byte. */
package org.sluice.forwarding.frame;

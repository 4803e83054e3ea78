// SPDX-License-Identifier: Apache-2.0
/** Parts of a platform for those that have none of their own: of maps, and of packets. */
package org.sluice.forwarding.parts;

// SPDX-License-Identifier: Apache-2.0
/** Parts of a platform without switches: the simulator's, and tests'. */
package org.sluice.forwarding.virtual;

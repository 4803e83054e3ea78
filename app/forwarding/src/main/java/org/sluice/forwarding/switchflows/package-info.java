// SPDX-License-Identifier: Apache-2.0
/** Beginnings and ends of registered flows' connections, as switches report them. */
package org.sluice.forwarding.switchflows;

// SPDX-License-Identifier: Apache-2.0
/** Where things are: switches, links, what is attached where, and which ports a path crosses. */
package org.sluice.forwarding.topology;

// SPDX-License-Identifier: Apache-2.0
/** Hosts, endpoints and ports as their agents and switches report them. */
package org.sluice.core.registry;

// SPDX-License-Identifier: Apache-2.0
/** Switches, the links between them, and where hosts are attached. What REST and page show. */
package org.sluice.api.topology;

// SPDX-License-Identifier: Apache-2.0
/** What hosts are sent about their endpoints and their shims, by one node for all. */
package org.sluice.core.policy;

// SPDX-License-Identifier: Apache-2.0
/** What a node on its own stores, and that it leads everything. */
package org.sluice.standalone.store;

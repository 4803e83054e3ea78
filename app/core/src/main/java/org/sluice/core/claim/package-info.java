// SPDX-License-Identifier: Apache-2.0
/** Who holds an address, decided once for the cluster. */
package org.sluice.core.claim;

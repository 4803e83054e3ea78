// SPDX-License-Identifier: Apache-2.0
/** What this node knows of its cluster. */
package org.sluice.core.cluster;

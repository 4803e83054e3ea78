// SPDX-License-Identifier: Apache-2.0

/** Packets that switches sample: starts and stops their collector, and takes its estimates out. */
package org.sluice.core.sampling;

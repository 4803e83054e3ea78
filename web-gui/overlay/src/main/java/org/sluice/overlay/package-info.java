// SPDX-License-Identifier: Apache-2.0
/** Pushes what Sluice sees into ONOS's own topology view. */
package org.sluice.overlay;

// SPDX-License-Identifier: Apache-2.0
/** The journal of this node, and who may write into it beside the engine. */
package org.sluice.core.journal;

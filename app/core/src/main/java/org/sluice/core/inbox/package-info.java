// SPDX-License-Identifier: Apache-2.0
/** The one inbox of the engine thread: everything reaches it through here. */
package org.sluice.core.inbox;

// SPDX-License-Identifier: Apache-2.0
/** The agent link's life under the settings, and how decisions become messages to hosts. */
package org.sluice.core.link;

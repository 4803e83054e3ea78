// SPDX-License-Identifier: Apache-2.0
/** How notices reach hosts: by the agent link, or as packets of their own. */
package org.sluice.core.notice;

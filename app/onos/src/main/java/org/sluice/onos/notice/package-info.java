// SPDX-License-Identifier: Apache-2.0
/** The ways that notices take to hosts: the agent link, or packets of their own. */
package org.sluice.onos.notice;

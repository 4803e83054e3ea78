// SPDX-License-Identifier: Apache-2.0
/** What the controller's users may see and change: roles, the same for REST and shell. */
package org.sluice.api.access;

// SPDX-License-Identifier: Apache-2.0
/** Endpoints' profiles, and how their shims work: what one node sends to all hosts. */
package org.sluice.core.profile;

// SPDX-License-Identifier: Apache-2.0
/** Why an endpoint gets no more than it does, and who else is there. */
package org.sluice.api.why;

// SPDX-License-Identifier: Apache-2.0
/** Finds what is not as it should be, and says how to put it right. */
package org.sluice.core.doctor;

// SPDX-License-Identifier: Apache-2.0
/** The authority by which agents are certified to each other, and who is certified. */
package org.sluice.core.certificate;

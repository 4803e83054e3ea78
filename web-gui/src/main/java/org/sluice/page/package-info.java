// SPDX-License-Identifier: Apache-2.0

/** What serves the operator's page, beside its files. */
package org.sluice.page;

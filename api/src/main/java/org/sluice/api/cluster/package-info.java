// SPDX-License-Identifier: Apache-2.0
/** The controllers' cluster, as one of its nodes sees it. */
package org.sluice.api.cluster;

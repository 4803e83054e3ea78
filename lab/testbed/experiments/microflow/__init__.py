# SPDX-License-Identifier: Apache-2.0
"""`lab/run microflow`: pages of web servers beside long flows, over three switches in a row."""

# SPDX-License-Identifier: Apache-2.0
"""`lab/run cluster`: a controller of three nodes beside floods while its nodes fail."""

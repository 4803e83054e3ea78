# SPDX-License-Identifier: Apache-2.0
OAR = "app/onos/target/sluice-0.1.0.oar"

# SPDX-License-Identifier: Apache-2.0
"""`lab/run standalone`: Sluice without an SDN controller, over bridges without ECN anywhere."""

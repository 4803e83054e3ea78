# SPDX-License-Identifier: Apache-2.0
def run(options):
    raise NotImplementedError

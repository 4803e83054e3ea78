// SPDX-License-Identifier: Apache-2.0

package cgroups

//go:generate go tool bpf2go -cc clang-14 -strip llvm-strip-14 -cflags "-O2 -g -Wall -Werror -mcpu=v3 -I../../../bpf -I/usr/include/x86_64-linux-gnu" -no-global-types -target bpfel -type hint -type lease -type destination bpf ../../../bpf/hints.c

// SPDX-License-Identifier: Apache-2.0

package shim

//go:generate go tool bpf2go -cc clang-14 -strip llvm-strip-14 -cflags "-O2 -g -Wall -Werror -mcpu=v3 -I../../bpf -I/usr/include/x86_64-linux-gnu" -target bpfel -type shim -type endpoint -type group -type pair -type pair_key -type destination_key -type flow_key -type flow -type address -type bucket -type phantom -type connection -type grant_key -type system -type prefix -type quota -type reserve -type levels -type flow_sizes bpf ../../bpf/shim.c

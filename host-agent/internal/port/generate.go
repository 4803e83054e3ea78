// SPDX-License-Identifier: Apache-2.0

package port

//go:generate go tool bpf2go -cc clang-14 -strip llvm-strip-14 -cflags "-O2 -g -Wall -Werror -mcpu=v3 -I../../bpf -I/usr/include/x86_64-linux-gnu" -target bpfel -type port -type level -type background -type destination bpf ../../bpf/port.c

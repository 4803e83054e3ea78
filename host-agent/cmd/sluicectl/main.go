// SPDX-License-Identifier: Apache-2.0

// Command sluicectl shows and changes what Sluice's controller has, by its REST interface.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/sluice-sdn/sluice/host-agent/internal/ctl/command"
)

// version is set at build time.
var version = "development"

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := command.Run(ctx, version, os.Args[1:],
		command.Streams{In: os.Stdin, Out: os.Stdout, Err: os.Stderr, Terminal: "/dev/tty"})
	stop()
	os.Exit(code)
}

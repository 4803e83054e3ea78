// SPDX-License-Identifier: Apache-2.0

package testnet

import (
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// OpenVSwitch is a private Open vSwitch, in the network namespace of the test.
type OpenVSwitch struct {
	t         testing.TB
	directory string
	server    *exec.Cmd
}

// NewOpenVSwitch starts a database server; it ends with the test.
func NewOpenVSwitch(t testing.TB) *OpenVSwitch {
	t.Helper()
	directory, err := os.MkdirTemp("", "ovs") // short: a socket's path has 107 characters at most
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(directory) })
	o := &OpenVSwitch{t: t, directory: directory}
	o.run("ovsdb-tool", "create", o.path("conf.db"), "/usr/share/openvswitch/vswitch.ovsschema")
	o.StartServer()
	t.Cleanup(o.StopServer)
	o.Vsctl("init")
	return o
}

func (o *OpenVSwitch) path(name string) string { return filepath.Join(o.directory, name) }

// Socket is the database's.
func (o *OpenVSwitch) Socket() string { return o.path("db.sock") }

// StartServer starts the database server, after StopServer once more.
func (o *OpenVSwitch) StartServer() {
	o.t.Helper()
	o.server = o.start("ovsdb-server", o.path("conf.db"), "--remote=punix:"+o.Socket(), "--unixctl="+o.path("server.ctl"))
	// Its socket is there before it listens.
	Until(o.t, "ovsdb-server listens", func() bool {
		connection, err := net.Dial("unix", o.Socket())
		if err == nil {
			_ = connection.Close()
		}
		return err == nil
	})
}

// StopServer ends the database server.
func (o *OpenVSwitch) StopServer() {
	if o.server != nil {
		stop(o.server)
		o.server = nil
		_ = os.Remove(o.Socket())
	}
}

// StartSwitch starts the switch itself, with the userspace datapath alone; it ends with the test.
func (o *OpenVSwitch) StartSwitch() {
	o.t.Helper()
	daemon := o.start("ovs-vswitchd", "unix:"+o.Socket(), "--disable-system", "--unixctl="+o.path("switch.ctl"))
	o.t.Cleanup(func() { stop(daemon) })
}

// Vsctl changes the database and does not wait for the switch.
func (o *OpenVSwitch) Vsctl(arguments ...string) {
	o.t.Helper()
	o.run("ovs-vsctl", append([]string{"--db=unix:" + o.Socket(), "--no-wait"}, arguments...)...)
}

func (o *OpenVSwitch) environment() []string {
	return append(os.Environ(), "OVS_RUNDIR="+o.directory, "OVS_LOGDIR="+o.directory, "OVS_DBDIR="+o.directory)
}

func (o *OpenVSwitch) run(program string, arguments ...string) {
	o.t.Helper()
	command := exec.Command(program, arguments...)
	command.Env = o.environment()
	if output, err := command.CombinedOutput(); err != nil {
		o.t.Fatalf("%s %s: %v: %s (this test needs Open vSwitch: apt-get install openvswitch-switch)",
			program, strings.Join(arguments, " "), err, output)
	}
}

func (o *OpenVSwitch) start(program string, arguments ...string) *exec.Cmd {
	o.t.Helper()
	command := exec.Command(program, append(arguments, "-vconsole:off", "--log-file="+o.path(program+".log"))...)
	command.Env = o.environment()
	if err := command.Start(); err != nil {
		o.t.Fatalf("%s: %v (this test needs Open vSwitch: apt-get install openvswitch-switch)", program, err)
	}
	return command
}

func stop(daemon *exec.Cmd) {
	_ = daemon.Process.Signal(syscall.SIGTERM)
	_ = daemon.Wait()
}

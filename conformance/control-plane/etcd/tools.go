//go:build tools

// Package tools pins the command that build.mjs builds, so that go mod tidy keeps it.
package tools

import _ "go.etcd.io/etcd/server/v3"

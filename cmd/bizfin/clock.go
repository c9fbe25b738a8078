package main

import (
	"time"

	_ "golang.org/x/crypto/x509roots/fallback" // authorities for an image that has none, and nothing else
)

// clock is what API and worker take the present from; the fault suite sets those of its processes apart.
var clock = time.Now

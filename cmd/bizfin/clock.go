package main

import "time"

// clock is what API and worker take the present from; the fault suite sets those of its processes apart.
var clock = time.Now

package worker_test

import (
	"testing"

	"bizfin/store/storetest"
)

func TestMain(m *testing.M) { storetest.Main(m) }

package main

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"syscall"
	"testing"
)

// disk is a small file system in memory that can be made full. Only root may have one.
type disk struct {
	t   *testing.T
	dir string
}

// startDisk mounts a disk on a folder; it is nil where that is not possible, which is said.
func startDisk(t *testing.T, dir string) *disk {
	t.Helper()
	if runtime.GOOS != "linux" || os.Geteuid() != 0 {
		t.Log("FAULT NOT TRIED: a full disk. It needs Linux, and root for a file system of its own")
		return nil
	}
	d := &disk{t: t, dir: dir}
	mount := exec.Command("mount", "-t", "tmpfs", "-o", "mode=755,size="+roomy, "bizfin-faults", dir)
	if out, err := mount.CombinedOutput(); err != nil {
		t.Logf("FAULT NOT TRIED: a full disk. This root may not mount a file system: %s", out)
		return nil
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, syscall.MNT_DETACH); err != nil {
			t.Errorf("unmount: %v", err)
		}
	})
	return d
}

// roomy is more than a run needs; it takes memory only for what is written.
const roomy = "12g"

// fill leaves no room.
func (d *disk) fill() {
	var now syscall.Statfs_t
	if err := syscall.Statfs(d.dir, &now); err != nil {
		d.t.Errorf("disk: %v", err)
		return
	}
	// Somebody may be writing meanwhile, and a file system is not made smaller than what is in it.
	for spare := int64(1); spare < 64; spare *= 2 {
		used := int64(now.Blocks-now.Bfree) + 16*spare
		if exec.Command("mount", "-o", fmt.Sprintf("remount,size=%d", used*int64(now.Bsize)), d.dir).Run() == nil {
			return
		}
	}
	d.t.Error("the disk could not be made full")
}

// empty makes room again.
func (d *disk) empty() {
	if out, err := exec.Command("mount", "-o", "remount,size="+roomy, d.dir).CombinedOutput(); err != nil {
		d.t.Errorf("disk: %v %s", err, out)
	}
}

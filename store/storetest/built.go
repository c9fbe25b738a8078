package storetest

import "runtime/debug"

// BuiltWith are the flags that this test was built with. Who builds a program with them finds what both have in common
// compiled.
func BuiltWith() (flags []string) {
	info, _ := debug.ReadBuildInfo()
	for _, set := range info.Settings {
		if (set.Key == "-race" || set.Key == "-trimpath") && set.Value == "true" {
			flags = append(flags, set.Key)
		}
	}
	return flags
}

package decide

import "maps"

// Independent is in how many books a purchase must have been seen to stand.
const Independent = independent

// Settled is a copy of the cells of settled.csv.
func Settled() map[Cell]Shown { return maps.Clone(settled()) }

// MayStand reports whether a row would stand if its line settled it.
func MayStand(d Decision) bool { return mayStand(d.Row, d.Decision) }

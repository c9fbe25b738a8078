package categorize

// direction of money as far as it is known while reading.
type direction int8

const (
	out     direction = -1
	unknown direction = 0
	in      direction = 1
)

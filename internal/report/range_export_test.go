package report

// Steps are how many sums of the open money RangeOf tells apart, and RangeOfSteps is RangeOf with another number.
const Steps = steps

var RangeOfSteps = rangeOf

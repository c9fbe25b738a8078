// Package questions is what is asked of a business and what its answers mean: which rows share a question, how it is
// worded, what its options stand for, what it is worth, what an answer says, and what is remembered of it for the
// next rows.
//
// A question comes from what a row was understood to be (package decide); the store keeps it, and an answer comes
// back here.
package questions

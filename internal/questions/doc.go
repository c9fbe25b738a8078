// Package questions is what is asked of a business: which rows share a question, how it is worded, what its options
// stand for, what it is worth, and what is remembered of answers for the next rows.
//
// A question comes from what a row was understood to be (package decide); the store keeps it. What an answer to it says
// is read by package answers.
package questions

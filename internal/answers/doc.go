// Package answers says what an answer to a question means: what its rows are, how they are divided, which of them it
// speaks of and which it leaves open, and what of it was not understood.
//
// [Understand] is where it begins. What words mean that name no rows is for package wording, and what is done about it
// for the store.
package answers

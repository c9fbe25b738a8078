// Package wording says which category the words of an owner name, whichever rows they are said of: by the names of the
// categories, by a list of phrases, and else by a model that learned from labelled answers ("make words").
//
// What stands clear is read, what does not is nothing: package answers asks then.
package wording

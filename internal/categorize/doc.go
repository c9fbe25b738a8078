// Package categorize understands single lines of US bank accounts: what kind of
// payment a line is, with whom, and which category of the ontology it belongs to.
// It is pure: no clock, no database, no context, and the same input gives the
// same decision.
//
// A line passes through five steps, and the first that decides ends the search:
//
//	normalize   cut into words; bank's, processor's and own words told from the name
//	flow rules  data/flows.csv: payroll, taxes, payouts, transfers, loans, fees, ...
//	memory      what this business answered about this counterparty and direction
//	merchant    package merchants, by the longest name the line's name begins with
//	words       data/keywords.csv: DENTAL, PARKING; then data/fallbacks.csv, which
//	            ends with a low guess for firms that nothing explains
//
// Memory outranks all but a rule that reads the kind of payment off the line
// itself and is sure of it: an answer about a payroll provider's unnamed debits
// does not turn its tax debits into wages.
//
// The sign comes first. The same string is a payout coming in and a fee going
// out; money from a merchant that is normally paid is a refund and keeps the
// purchase's category.
//
// Confidence is a property of the tier that decided (data/calibration.csv), not
// of the line. From [SilentThreshold] on a decision is applied without asking.
//
// # Vocabularies
//
// Types and relationships of counterparties are the contract's. It has no word
// for some; these stand for them, here and in package merchants:
//
//	restaurants, shops for private life   lifestyle
//	hotels, airlines, taxis, parking      service
//	associations                          type association, relationship service
//	card issuers, installment plans       lender
//	brokerages                            service
//
// A type is "" and a relationship "unknown" where the line does not tell. A
// counterparty is a person only on evidence of one: a payment app transfer to a
// name without a business word, or a wire or transfer to a name with a given name.
package categorize

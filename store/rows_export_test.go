package store

// BankText is bankfeed.BankText in SQL.
const BankText = bankText

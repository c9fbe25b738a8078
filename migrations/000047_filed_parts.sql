-- +goose Up

-- Of the first part of a filed row whose amount the bank changed since: the parts that it was filed as. Any other amount is divided in
-- their proportion, and the filed one as it was filed: what parts of another amount have in common is not what was filed.
ALTER TABLE transaction_parts ADD COLUMN filed jsonb;

-- +goose Down
ALTER TABLE transaction_parts DROP COLUMN filed;

-- +goose Up

-- Of a question about many, such as everybody who is paid by an app, nobody knows one answer: each is asked about alone, too, until
-- the question about all is answered.
ALTER TABLE outstanding_issues ADD COLUMN apart boolean NOT NULL DEFAULT false;

-- +goose Down
ALTER TABLE outstanding_issues DROP COLUMN apart;

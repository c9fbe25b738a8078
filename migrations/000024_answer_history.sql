-- +goose Up

-- Everything that was answered, append-only: who said what about what, what was understood, and what followed from it. The
-- books follow from the answers that were neither replaced nor undone.
CREATE TABLE answers (
  organization_id   uuid        NOT NULL,
  id                uuid        NOT NULL,
  hook              text        NOT NULL, -- a question's id, t:<transaction> or c:<counterparty>:in|out
  issue_id          uuid,                 -- the question that it answered
  group_key         text,                 -- what it speaks for beyond its rows
  incoming          boolean,
  level             smallint    NOT NULL, -- of two about a row the higher holds, then the newer: 3 a row, 2 these rows, 1 a counterparty
  status            text        NOT NULL,
  answer            text        NOT NULL,
  selected_option   text,
  category_id       integer,
  mixed             boolean     NOT NULL DEFAULT false,
  note              text,
  answered_by       uuid,
  via               text        NOT NULL,
  answered_at       timestamptz NOT NULL,
  replaced_at       timestamptz,
  row_count         bigint      NOT NULL DEFAULT 0,
  net_profit_effect numeric     NOT NULL DEFAULT 0, -- cents
  CONSTRAINT answers_pkey PRIMARY KEY (organization_id, id),
  CONSTRAINT answers_organization_fkey FOREIGN KEY (organization_id) REFERENCES organizations (id),
  CONSTRAINT answers_issue_fkey FOREIGN KEY (organization_id, issue_id) REFERENCES outstanding_issues (organization_id, id),
  CONSTRAINT answers_answered_by_fkey FOREIGN KEY (answered_by) REFERENCES persons (id),
  CONSTRAINT answers_status CHECK (status IN ('accepted', 'partly', 'unclear', 'skipped', 'undone')),
  CONSTRAINT answers_via CHECK (via IN ('person', 'agent'))
);
CREATE INDEX answers_hook ON answers (organization_id, hook, answered_at, id);
CREATE INDEX answers_issue ON answers (organization_id, issue_id) WHERE issue_id IS NOT NULL;
CREATE INDEX answers_group ON answers (organization_id, group_key, incoming) WHERE group_key IS NOT NULL;

-- The rows that an answer was about, and what they were before anybody answered: a filed one stays that.
CREATE TABLE answer_rows (
  organization_id   uuid    NOT NULL,
  transaction_id    uuid    NOT NULL,
  answer_id         uuid    NOT NULL,
  filed             boolean NOT NULL DEFAULT false,
  before_category   integer,
  before_source     text,
  before_confidence integer,
  before_reason     text,
  CONSTRAINT answer_rows_pkey PRIMARY KEY (organization_id, transaction_id, answer_id),
  CONSTRAINT answer_rows_answer_fkey FOREIGN KEY (organization_id, answer_id) REFERENCES answers (organization_id, id)
);
CREATE INDEX answer_rows_answer ON answer_rows (organization_id, answer_id);
CREATE INDEX answer_rows_filed ON answer_rows (organization_id, transaction_id) WHERE filed;

-- The answer that decided a row; null where none did, or where a person chose for it elsewhere since.
ALTER TABLE transactions ADD COLUMN answer_id uuid;

-- Whose memory it is, and whether it speaks for all that was answered about the counterparty before.
ALTER TABLE business_answers ADD COLUMN answer_id uuid;
ALTER TABLE business_answers ADD COLUMN whole boolean NOT NULL DEFAULT false;
CREATE INDEX business_answers_answer ON business_answers (organization_id, answer_id) WHERE answer_id IS NOT NULL;

-- Nobody knows the answer yet: the question comes last until its rows change. And what was not understood of it.
ALTER TABLE outstanding_issues ADD COLUMN skipped boolean NOT NULL DEFAULT false;
ALTER TABLE outstanding_issues ADD COLUMN follow_up jsonb;
DROP INDEX outstanding_issues_open;
CREATE INDEX outstanding_issues_open ON outstanding_issues (organization_id, skipped, created_at, id) WHERE status = 'open';
CREATE INDEX outstanding_issues_ended ON outstanding_issues (organization_id, status, created_at, id) WHERE status <> 'open';

-- What was answered before is kept as answers of persons. Words that named nothing closed a question then; they decided
-- nothing, and stay closed.
INSERT INTO answers (organization_id, id, hook, issue_id, group_key, incoming, level, status, answer, selected_option,
  category_id, mixed, note, answered_by, via, answered_at, row_count)
SELECT i.organization_id, gen_random_uuid(), i.id::text, i.id,
       CASE WHEN i.group_key NOT LIKE 'row:%' THEN i.group_key END, i.incoming,
       CASE WHEN i.group_key LIKE 'row:%' OR i.group_key IS NULL THEN 2 ELSE 1 END,
       'accepted', i.answer, i.selected_option, b.category_id, coalesce(b.mixed, false), b.note, i.answered_by, 'person',
       i.ended_at, (
         SELECT count(*)
         FROM issue_transactions it
         WHERE it.organization_id = i.organization_id
           AND it.issue_id = i.id)
FROM outstanding_issues i
LEFT JOIN LATERAL (
  SELECT category_id, mixed, note
  FROM business_answers b
  WHERE b.organization_id = i.organization_id
    AND b.counterparty_key = i.group_key
    AND b.incoming = i.incoming
    AND b.created_at = i.ended_at
  LIMIT 1) b ON true
WHERE i.status = 'answered';
INSERT INTO answer_rows (organization_id, transaction_id, answer_id)
SELECT it.organization_id, it.transaction_id, a.id
FROM answers a
JOIN issue_transactions it ON it.organization_id = a.organization_id AND it.issue_id = a.issue_id;
UPDATE business_answers b
SET answer_id = a.id
FROM answers a
WHERE a.organization_id = b.organization_id
  AND a.answered_at = b.created_at;
UPDATE transactions t
SET answer_id = a.id
FROM answer_rows r
JOIN answers a ON a.organization_id = r.organization_id AND a.id = r.answer_id
WHERE t.organization_id = r.organization_id
  AND t.id = r.transaction_id
  AND t.category_source = 'user'
  AND t.category_reason = 'Answered: ' || a.answer;

-- +goose Down
DROP INDEX outstanding_issues_ended, outstanding_issues_open;
CREATE INDEX outstanding_issues_open ON outstanding_issues (organization_id, created_at, id) WHERE status = 'open';
ALTER TABLE outstanding_issues DROP COLUMN follow_up, DROP COLUMN skipped;
DROP INDEX business_answers_answer;
ALTER TABLE business_answers DROP COLUMN whole, DROP COLUMN answer_id;
ALTER TABLE transactions DROP COLUMN answer_id;
DROP TABLE answer_rows, answers;

-- +goose Up
CREATE TABLE outstanding_issues (
  organization_id   uuid        NOT NULL,
  id                uuid        NOT NULL,
  object_type       text        NOT NULL,
  object_id         text        NOT NULL,
  kind              text        NOT NULL,
  question          text        NOT NULL,
  why               text        NOT NULL,
  impact_amount     numeric     NOT NULL, -- cents
  impact_currency   text        NOT NULL,
  transaction_count bigint      NOT NULL,
  options           jsonb       NOT NULL,
  allows_free_text  boolean     NOT NULL,
  status            text        NOT NULL DEFAULT 'open',
  answer            text,
  selected_option   text,
  answered_by       uuid,
  created_at        timestamptz NOT NULL,
  ended_at          timestamptz,
  CONSTRAINT outstanding_issues_pkey PRIMARY KEY (organization_id, id),
  CONSTRAINT outstanding_issues_organization_fkey FOREIGN KEY (organization_id) REFERENCES organizations (id),
  CONSTRAINT outstanding_issues_answered_by_fkey FOREIGN KEY (answered_by) REFERENCES persons (id),
  CONSTRAINT outstanding_issues_object_type CHECK (object_type IN ('transaction', 'counterparty', 'company')),
  CONSTRAINT outstanding_issues_status CHECK (status IN ('open', 'answered', 'closed')),
  CONSTRAINT outstanding_issues_ended_at CHECK ((status = 'open') = (ended_at IS NULL)),
  CONSTRAINT outstanding_issues_answer CHECK ((status = 'answered') = (answer IS NOT NULL))
);
CREATE INDEX outstanding_issues_open ON outstanding_issues (organization_id, created_at, id) WHERE status = 'open';
CREATE INDEX outstanding_issues_object ON outstanding_issues (organization_id, object_type, object_id) WHERE status = 'open';

-- The rows a question is about.
CREATE TABLE issue_transactions (
  organization_id uuid NOT NULL,
  transaction_id  uuid NOT NULL,
  issue_id        uuid NOT NULL,
  CONSTRAINT issue_transactions_pkey PRIMARY KEY (organization_id, transaction_id, issue_id),
  CONSTRAINT issue_transactions_transaction_fkey FOREIGN KEY (organization_id, transaction_id) REFERENCES transactions (organization_id, id),
  CONSTRAINT issue_transactions_issue_fkey FOREIGN KEY (organization_id, issue_id) REFERENCES outstanding_issues (organization_id, id)
);
CREATE INDEX issue_transactions_issue ON issue_transactions (organization_id, issue_id);

-- +goose Down
DROP TABLE issue_transactions, outstanding_issues;

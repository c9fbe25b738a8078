-- +goose Up

-- What an option does beside standing for a category is said by it, and not by its place or its label.
UPDATE outstanding_issues i
SET options = (
  SELECT jsonb_agg(
    CASE
      WHEN i.object_type = 'company' AND o.place = 1 THEN o.option || '{"role": "yes"}'
      WHEN i.object_type = 'company' AND o.place = 2 THEN o.option || '{"role": "no"}'
      WHEN i.object_type = 'company' THEN o.option || '{"role": "others"}'
      WHEN o.option ->> 'value' = 'split' AND o.option ->> 'label' LIKE 'Part %' THEN o.option || '{"role": "part"}'
      WHEN o.option ->> 'value' = 'split' THEN o.option || '{"role": "mix"}'
      ELSE o.option
    END ORDER BY o.place)
  FROM jsonb_array_elements(i.options) WITH ORDINALITY AS o (option, place))
WHERE jsonb_array_length(i.options) > 0
  AND (i.object_type = 'company' OR i.options @> '[{"value": "split"}]');

-- No one category fits the rows of an answer: they keep none.
ALTER TABLE business_answers ADD COLUMN mixed boolean NOT NULL DEFAULT false;
UPDATE business_answers
SET mixed = true
WHERE note LIKE 'Part business, part personal%';

-- +goose Down
ALTER TABLE business_answers DROP COLUMN mixed;
UPDATE outstanding_issues i
SET options = (
  SELECT jsonb_agg(o.option - 'role' ORDER BY o.place)
  FROM jsonb_array_elements(i.options) WITH ORDINALITY AS o (option, place))
WHERE jsonb_array_length(i.options) > 0;

-- +goose Up

-- The lines of a text with one more, and without those that are one. Citus wants it said that they depend on nothing else.
-- +goose StatementBegin
CREATE FUNCTION with_line(lines text, line text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT nullif(concat_ws(E'\n', lines, nullif(line, '')), '')
$$;

CREATE FUNCTION without_line(lines text, line text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT nullif(array_to_string(array_remove(string_to_array(lines, E'\n'), line), E'\n'), '')
$$;
-- +goose StatementEnd

-- +goose Down
DROP FUNCTION without_line, with_line;

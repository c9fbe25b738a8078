-- The roles of bizfin, for a server where they are not yet; the postgres image runs it for a new volume. It is for psql 15
-- or newer, in the database, as a superuser or its owner:
--
--   OWNER_PASSWORD=… PROGRAM_PASSWORD=… psql -d bizfin -f deploy/roles.sql
--
-- bizfin_owner owns the schema: `bizfin migrate up --grant bizfin_program` runs as it, and nothing else does.
-- bizfin_program is for serve, work and the other commands: it reads and writes rows, and cannot change the schema.
\getenv owner_password OWNER_PASSWORD
\getenv program_password PROGRAM_PASSWORD
CREATE ROLE bizfin_owner LOGIN PASSWORD :'owner_password';
CREATE ROLE bizfin_program LOGIN PASSWORD :'program_password';
ALTER DATABASE bizfin OWNER TO bizfin_owner;
REVOKE ALL ON DATABASE bizfin FROM PUBLIC;
GRANT CONNECT ON DATABASE bizfin TO bizfin_program;
REVOKE CREATE ON SCHEMA public FROM PUBLIC;
GRANT CREATE ON SCHEMA public TO bizfin_owner;

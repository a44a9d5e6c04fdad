PRAGMA application_id = 1114600039;
PRAGMA user_version = 1;
CREATE TABLE program (
  upload INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  hash TEXT NOT NULL,
  bytes BLOB NOT NULL,
  board TEXT NOT NULL,
  at_ms INTEGER NOT NULL
) STRICT;
CREATE TABLE primitive (
  upload INTEGER NOT NULL,
  number INTEGER NOT NULL,
  module TEXT NOT NULL,
  name TEXT NOT NULL,
  PRIMARY KEY (upload, number)
) STRICT, WITHOUT ROWID;
CREATE TABLE branch (
  id INTEGER PRIMARY KEY,
  upload INTEGER NOT NULL,
  number INTEGER NOT NULL,
  parent INTEGER,
  fork INTEGER NOT NULL,
  reached INTEGER NOT NULL,
  ending INTEGER NOT NULL,
  outcome TEXT NOT NULL,
  UNIQUE (upload, number)
) STRICT;
CREATE TABLE block (
  branch INTEGER NOT NULL,
  number INTEGER NOT NULL,
  count INTEGER NOT NULL,
  first_steps INTEGER NOT NULL,
  last_steps INTEGER NOT NULL,
  checksum INTEGER NOT NULL,
  PRIMARY KEY (branch, number)
) STRICT, WITHOUT ROWID;
CREATE TABLE entry (
  id INTEGER PRIMARY KEY,
  steps INTEGER NOT NULL,
  kind INTEGER NOT NULL,
  subject INTEGER NOT NULL,
  types TEXT,
  arguments TEXT,
  value ANY,
  data BLOB,
  mocked INTEGER NOT NULL
) STRICT;
CREATE TABLE snapshot (
  id INTEGER PRIMARY KEY,
  upload INTEGER NOT NULL,
  branch INTEGER NOT NULL,
  position INTEGER NOT NULL,
  steps INTEGER NOT NULL,
  size INTEGER NOT NULL,
  checksum INTEGER NOT NULL,
  bytes BLOB NOT NULL,
  UNIQUE (upload, branch, position, steps)
) STRICT;
CREATE TABLE note (
  upload INTEGER NOT NULL,
  branch INTEGER NOT NULL,
  position INTEGER NOT NULL,
  steps INTEGER NOT NULL,
  name TEXT,
  text TEXT NOT NULL,
  at_ms INTEGER NOT NULL,
  PRIMARY KEY (upload, branch, position, steps)
) STRICT, WITHOUT ROWID;
CREATE TABLE breakpoint (
  id INTEGER PRIMARY KEY,
  enabled INTEGER NOT NULL,
  spec TEXT NOT NULL
) STRICT;
CREATE TABLE mock (
  id INTEGER PRIMARY KEY,
  call TEXT NOT NULL UNIQUE,
  spec TEXT NOT NULL
) STRICT;
CREATE TABLE setting (
  key TEXT PRIMARY KEY,
  value TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE place (
  who TEXT PRIMARY KEY,
  upload INTEGER NOT NULL,
  branch INTEGER NOT NULL,
  position INTEGER NOT NULL,
  steps INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE VIEW entries AS
SELECT
  b.upload AS upload,
  b.number AS branch,
  e.id & 4294967295 AS position,
  b.number || '.' || ((e.id & 4294967295) + 1) AS universe,
  e.steps AS steps,
  CASE e.kind WHEN 0 THEN 'input' WHEN 1 THEN 'output' ELSE 'event' END AS kind,
  e.subject AS subject,
  CASE WHEN e.kind < 2 THEN coalesce(p.name, 'primitive ' || e.subject) ELSE 'event ' || e.subject END AS name,
  coalesce(e.arguments, '[]') AS arguments,
  e.value AS value,
  e.data AS data,
  e.mocked AS mocked
FROM branch b
JOIN entry e ON e.id BETWEEN (b.id << 32) AND ((b.id << 32) | 4294967295)
LEFT JOIN primitive p ON p.upload = b.upload AND p.number = e.subject;
CREATE VIEW inputs AS
SELECT upload, branch, position, universe, steps, name, arguments, value, mocked
FROM entries WHERE kind = 'input';
CREATE VIEW outputs AS
SELECT upload, branch, position, universe, steps, name, arguments, value, data AS captured
FROM entries WHERE kind = 'output';
CREATE VIEW ends AS
SELECT
  b.upload AS upload,
  b.number AS branch,
  b.number || '.' || (b.fork + coalesce((SELECT sum(k.count) FROM block k WHERE k.branch = b.id), 0)) AS universe,
  b.reached AS steps,
  CASE b.ending WHEN 1 THEN 'finished' WHEN 2 THEN 'trapped' ELSE 'open' END AS ending,
  b.outcome AS outcome
FROM branch b;
CREATE VIEW traps AS
SELECT upload, branch, universe, steps, outcome AS trap FROM ends WHERE ending = 'trapped';
CREATE VIEW paths AS
WITH RECURSIVE segment (upload, tip, id, number, parent, low, high) AS (
  SELECT upload, number, id, number, parent, fork, 4294967295 FROM branch
  UNION ALL
  SELECT s.upload, s.tip, b.id, b.number, b.parent, b.fork, s.low - 1
  FROM segment s JOIN branch b ON b.upload = s.upload AND b.number = s.parent
  WHERE s.parent < s.number AND s.low > 0
)
SELECT
  s.upload AS upload,
  s.tip AS tip,
  s.number AS branch,
  e.id & 4294967295 AS position,
  e.steps AS steps,
  CASE e.kind WHEN 0 THEN 'input' WHEN 1 THEN 'output' ELSE 'event' END AS kind,
  CASE WHEN e.kind < 2 THEN coalesce(p.name, 'primitive ' || e.subject) ELSE 'event ' || e.subject END AS name,
  coalesce(e.arguments, '[]') AS arguments,
  e.value AS value
FROM segment s
JOIN entry e ON e.id BETWEEN ((s.id << 32) | s.low) AND ((s.id << 32) | s.high)
LEFT JOIN primitive p ON p.upload = s.upload AND p.number = e.subject;
INSERT INTO program VALUES (0, 'größe.wasm', 'f6c97f219e1b0fa3', X'0061736D01000000', 'name = "desk"
', 1790000000000);
INSERT INTO primitive VALUES (0, 0, 'env', 'chip_analog_read');
INSERT INTO primitive VALUES (0, 1, 'env', 'it''s');
INSERT INTO branch VALUES (1, 0, 0, NULL, 0, 1099511627781, 2, 'unreachable');
INSERT INTO branch VALUES (2, 0, 1, 0, 1, 99, 1, '1, 2');
INSERT INTO block VALUES (1, 0, 12, 1, 1099511627776, -2636980186722400790);
INSERT INTO block VALUES (2, 0, 1, 2, 2, -459161557807320865);
INSERT INTO entry VALUES (4294967296, 1, 0, 0, NULL, '[34]', -4095, NULL, 0);
INSERT INTO entry VALUES (4294967297, 2, 0, 1, '>I', NULL, -9223372036854775808, NULL, 1);
INSERT INTO entry VALUES (4294967298, 3, 0, 1, '>f', NULL, 0.10000000149011612, NULL, 0);
INSERT INTO entry VALUES (4294967299, 4, 0, 1, '>f', NULL, X'00000080', NULL, 0);
INSERT INTO entry VALUES (4294967300, 5, 0, 1, '>F', NULL, 2.5, NULL, 0);
INSERT INTO entry VALUES (4294967301, 6, 0, 1, '>F', NULL, X'000000000000F87F', NULL, 0);
INSERT INTO entry VALUES (4294967302, 7, 0, 1, '>r', NULL, NULL, NULL, 0);
INSERT INTO entry VALUES (4294967303, 8, 0, 1, '>e', NULL, 7, NULL, 0);
INSERT INTO entry VALUES (4294967304, 9, 1, 1, NULL, '[2,1]', NULL, X'0102FF', 0);
INSERT INTO entry VALUES (4294967305, 10, 1, 1, 'IfF>', '[-1,"7f800000",1e-7]', NULL, NULL, 0);
INSERT INTO entry VALUES (4294967306, 10, 1, 1, 're>', '[3,null]', NULL, NULL, 0);
INSERT INTO entry VALUES (4294967307, 1099511627776, 2, 2, NULL, NULL, NULL, X'70696E203134', 0);
INSERT INTO entry VALUES (8589934593, 2, 0, 1, '>I', NULL, -9223372036854775808, NULL, 1);
INSERT INTO snapshot VALUES (1, 0, 0, 3, 4, 7, -2832162442719111047, X'61207374617465');
INSERT INTO note VALUES (0, 0, 0, 0, NULL, 'see', -1);
INSERT INTO note VALUES (0, 1, 2, 50, 'odd', 'see', -1);
INSERT INTO breakpoint VALUES (1, 0, '{}');
INSERT INTO mock VALUES (1, 'chip_analog_read(_)', '[1]');
INSERT INTO setting VALUES ('follow', 'true');
INSERT INTO place VALUES ('device', 0, 0, 12, 1099511627776);
INSERT INTO place VALUES ('user', 0, 1, 2, 50);

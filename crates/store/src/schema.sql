CREATE TABLE program (
  upload INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  hash TEXT NOT NULL,
  bytes BLOB NOT NULL,
  board TEXT NOT NULL,
  at_ms INTEGER NOT NULL,
  sum INTEGER NOT NULL
) STRICT;

CREATE TABLE primitive (
  upload INTEGER NOT NULL,
  number INTEGER NOT NULL,
  module TEXT NOT NULL,
  name TEXT NOT NULL,
  sum INTEGER NOT NULL,
  PRIMARY KEY (upload, number)
) STRICT, WITHOUT ROWID;

CREATE TABLE branch (
  id INTEGER PRIMARY KEY,
  upload INTEGER NOT NULL,
  number INTEGER NOT NULL,
  parent INTEGER,
  fork INTEGER NOT NULL,
  length INTEGER NOT NULL,
  reached INTEGER NOT NULL,
  ending INTEGER NOT NULL,
  outcome TEXT NOT NULL,
  sum INTEGER NOT NULL,
  UNIQUE (upload, number)
) STRICT;

CREATE TABLE entry (
  id INTEGER PRIMARY KEY,
  steps INTEGER NOT NULL,
  kind INTEGER NOT NULL,
  subject INTEGER NOT NULL,
  types TEXT,
  arguments TEXT,
  value ANY,
  data BLOB,
  mocked INTEGER NOT NULL,
  sum INTEGER NOT NULL
) STRICT;

CREATE TABLE note (
  upload INTEGER NOT NULL,
  branch INTEGER NOT NULL,
  position INTEGER NOT NULL,
  agent INTEGER NOT NULL,
  steps INTEGER NOT NULL,
  name TEXT NOT NULL,
  text TEXT NOT NULL,
  at_ms INTEGER NOT NULL,
  sum INTEGER NOT NULL,
  PRIMARY KEY (upload, branch, position, agent, steps, name)
) STRICT, WITHOUT ROWID;

CREATE TABLE breakpoint (
  id INTEGER PRIMARY KEY,
  enabled INTEGER NOT NULL,
  spec TEXT NOT NULL,
  sum INTEGER NOT NULL
) STRICT;

CREATE TABLE mock (
  id INTEGER PRIMARY KEY,
  call TEXT NOT NULL UNIQUE,
  spec TEXT NOT NULL,
  sum INTEGER NOT NULL
) STRICT;

CREATE TABLE setting (
  key TEXT PRIMARY KEY,
  value TEXT NOT NULL,
  sum INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE place (
  who TEXT PRIMARY KEY,
  upload INTEGER NOT NULL,
  branch INTEGER NOT NULL,
  position INTEGER NOT NULL,
  agent INTEGER NOT NULL,
  steps INTEGER NOT NULL,
  sum INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE aside (
  id INTEGER PRIMARY KEY,
  of TEXT NOT NULL,
  row TEXT NOT NULL,
  sum INTEGER NOT NULL
) STRICT;

CREATE TABLE seal (
  of TEXT PRIMARY KEY,
  count INTEGER NOT NULL,
  total INTEGER NOT NULL,
  sum INTEGER NOT NULL
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
  b.number || '.' || (b.fork + b.length) AS universe,
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

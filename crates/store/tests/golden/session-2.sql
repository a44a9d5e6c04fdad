PRAGMA application_id = 1114600039;
PRAGMA user_version = 2;
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
  steps INTEGER NOT NULL,
  name TEXT NOT NULL,
  text TEXT NOT NULL,
  at_ms INTEGER NOT NULL,
  sum INTEGER NOT NULL,
  PRIMARY KEY (upload, branch, position, steps, name)
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
INSERT INTO program VALUES (0, 'größe.wasm', 'f6c97f219e1b0fa3', X'0061736D01000000', 'name = "desk"
', 1790000000000, 134450603387909);
INSERT INTO primitive VALUES (0, 0, 'env', 'chip_analog_read', 5897309118256);
INSERT INTO primitive VALUES (0, 1, 'env', 'it''s', 264476053831676);
INSERT INTO branch VALUES (1, 0, 0, NULL, 0, 12, 1099511627781, 2, 'unreachable', 272044231190660);
INSERT INTO branch VALUES (2, 0, 1, 0, 1, 1, 99, 1, '1, 2', 11388468085967);
INSERT INTO entry VALUES (4294967296, 1, 0, 0, NULL, '[34]', -4095, NULL, 0, 74349265941237);
INSERT INTO entry VALUES (4294967297, 2, 0, 1, '>I', NULL, -9223372036854775808, NULL, 1, 81868025703441);
INSERT INTO entry VALUES (4294967298, 3, 0, 1, '>f', NULL, 0.10000000149011612, NULL, 0, 180134967167134);
INSERT INTO entry VALUES (4294967299, 4, 0, 1, '>f', NULL, X'00000080', NULL, 0, 217061123500782);
INSERT INTO entry VALUES (4294967300, 5, 0, 1, '>F', NULL, 2.5, NULL, 0, 172870278920203);
INSERT INTO entry VALUES (4294967301, 6, 0, 1, '>F', NULL, X'000000000000F87F', NULL, 0, 243900836887203);
INSERT INTO entry VALUES (4294967302, 7, 0, 1, '>r', NULL, NULL, NULL, 0, 119291219386427);
INSERT INTO entry VALUES (4294967303, 8, 0, 1, '>e', NULL, 7, NULL, 0, 71407319254405);
INSERT INTO entry VALUES (4294967304, 9, 1, 1, NULL, '[2,1]', NULL, X'0102FF', 0, 226454349537639);
INSERT INTO entry VALUES (4294967305, 10, 1, 1, 'IfF>', '[-1,"7f800000",1e-7]', NULL, NULL, 0, 114576126152388);
INSERT INTO entry VALUES (4294967306, 10, 1, 1, 're>', '[3,null]', NULL, NULL, 0, 22494364241832);
INSERT INTO entry VALUES (4294967307, 1099511627776, 2, 2, NULL, NULL, NULL, X'70696E203134', 0, 81222121448813);
INSERT INTO entry VALUES (8589934593, 2, 0, 1, '>I', NULL, -9223372036854775808, NULL, 1, 200711351746211);
INSERT INTO note VALUES (0, 0, 0, 0, '', 'see', -1, 136979548460110);
INSERT INTO note VALUES (0, 1, 2, 50, '', 'see', -1, 240093424321807);
INSERT INTO note VALUES (0, 1, 2, 50, 'odd', '', -1, 227039997785401);
INSERT INTO breakpoint VALUES (1, 0, '{}', 154966528227099);
INSERT INTO mock VALUES (1, 'chip_analog_read(_)', '[1]', 266401732746033);
INSERT INTO setting VALUES ('follow', 'true', 236136545360040);
INSERT INTO place VALUES ('device', 0, 0, 12, 1099511627776, 195249062227664);
INSERT INTO place VALUES ('user', 0, 1, 2, 50, 123774078633222);
INSERT INTO seal VALUES ('branch', 2, 278415590239307, 126851552652168);
INSERT INTO seal VALUES ('breakpoint', 1, 154966528227099, 11992574035512);
INSERT INTO seal VALUES ('mock', 1, 266401732746033, 224004178024838);
INSERT INTO seal VALUES ('note', 3, 115130029057144, 135142469346574);
INSERT INTO seal VALUES ('place', 2, 212212505537494, 58298155656616);
INSERT INTO seal VALUES ('primitive', 2, 270304609738956, 189958230810318);
INSERT INTO seal VALUES ('program', 1, 134450603387909, 28140462960695);
INSERT INTO seal VALUES ('setting', 1, 236136545360040, 219455435107682);

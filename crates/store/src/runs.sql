CREATE TABLE fleet_run (
  upload INTEGER NOT NULL,
  branch INTEGER NOT NULL,
  position INTEGER NOT NULL,
  ending INTEGER NOT NULL,
  reached INTEGER NOT NULL,
  outcome TEXT NOT NULL,
  runs INTEGER NOT NULL,
  sum INTEGER NOT NULL,
  PRIMARY KEY (upload, branch, position, ending)
) STRICT, WITHOUT ROWID;

CREATE TABLE fleet_source (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  upload INTEGER NOT NULL,
  branch INTEGER NOT NULL,
  position INTEGER NOT NULL,
  ending INTEGER NOT NULL,
  runs INTEGER NOT NULL,
  sum INTEGER NOT NULL
) STRICT;

CREATE VIEW outcomes AS
SELECT
  upload, branch, branch || '.' || position AS universe, reached AS steps,
  CASE ending WHEN 1 THEN 'finished' WHEN 2 THEN 'trapped' ELSE 'open' END AS ending,
  outcome, runs,
  runs * 1.0 / sum(runs) OVER (PARTITION BY upload) AS share
FROM fleet_run;

CREATE VIEW sources AS
SELECT
  name, upload, branch, position, branch || '.' || position AS universe,
  CASE ending WHEN 1 THEN 'finished' WHEN 2 THEN 'trapped' ELSE 'open' END AS ending,
  runs
FROM fleet_source;

CREATE VIEW ways AS
WITH RECURSIVE
-- A run that ends on a branch has taken the first entries of all branches on its path.
up (upload, number, runs) AS (
  SELECT upload, branch, sum(runs) FROM fleet_run GROUP BY upload, branch
  UNION ALL
  SELECT u.upload, b.parent, u.runs
  FROM up u JOIN branch b ON b.upload = u.upload AND b.number = u.number
  WHERE b.parent < b.number
),
seen (upload, number, runs) AS (SELECT upload, number, sum(runs) FROM up GROUP BY upload, number),
-- Where runs leave a branch: onto another one, or because they end.
leave (upload, number, position, onto, runs) AS (
  SELECT b.upload, b.parent, b.fork, b.number, coalesce(s.runs, 0)
  FROM branch b LEFT JOIN seen s ON s.upload = b.upload AND s.number = b.number
  WHERE b.parent < b.number
  UNION ALL
  SELECT upload, branch, position, NULL, runs FROM fleet_run
),
later (upload, number, position, onto, runs, later) AS (
  SELECT upload, number, position, onto, runs,
    coalesce(sum(runs) OVER (PARTITION BY upload, number ORDER BY position DESC
      GROUPS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0)
  FROM leave
),
way (upload, number, position, onto, runs) AS (
  SELECT upload, number, position, onto, runs FROM later WHERE onto IS NOT NULL
  UNION ALL
  SELECT DISTINCT l.upload, l.number, l.position, l.number, l.later
  FROM later l JOIN branch b ON b.upload = l.upload AND b.number = l.number
  WHERE l.onto IS NOT NULL AND b.fork + b.length > l.position
),
-- Where some runs end and all others go on in one way, there is nothing to compare: a branch only leaves there if those
-- that end were merged first.
choice AS (
  SELECT *, count(*) OVER (PARTITION BY upload, number, position) AS beside FROM way
)
SELECT
  w.upload AS upload,
  w.number || '.' || w.position AS universe,
  w.onto AS branch,
  CASE e.kind WHEN 0 THEN 'input' WHEN 1 THEN 'output' ELSE 'event' END AS kind,
  CASE WHEN e.kind < 2 THEN coalesce(p.name, 'primitive ' || e.subject) ELSE 'event ' || e.subject END AS name,
  coalesce(e.arguments, '[]') AS arguments,
  e.value AS value,
  w.runs AS runs,
  w.runs * 1.0 / nullif(sum(w.runs) OVER (PARTITION BY w.upload, w.number, w.position), 0) AS share
FROM choice w
JOIN branch b ON b.upload = w.upload AND b.number = w.onto
JOIN entry e ON e.id = ((b.id << 32) | w.position)
LEFT JOIN primitive p ON p.upload = w.upload AND p.number = e.subject
WHERE w.beside > 1;

CREATE TABLE model_program (
  name TEXT NOT NULL,
  language TEXT NOT NULL,
  text TEXT NOT NULL,
  options TEXT NOT NULL,
  complete INTEGER NOT NULL,
  sum INTEGER NOT NULL
) STRICT;

CREATE TABLE model_outcome (
  id INTEGER PRIMARY KEY,
  kind TEXT NOT NULL,
  text TEXT NOT NULL,
  sum INTEGER NOT NULL
) STRICT;

CREATE TABLE model_state (
  id INTEGER PRIMARY KEY,
  depth INTEGER NOT NULL,
  via INTEGER,
  status TEXT NOT NULL,
  outcome INTEGER,
  cycle INTEGER,
  text TEXT,
  sum INTEGER NOT NULL
) STRICT;

-- A program has few different steps, and takes each of them in very many states.
CREATE TABLE model_label (
  id INTEGER PRIMARY KEY,
  agent TEXT NOT NULL,
  rule TEXT NOT NULL,
  text TEXT NOT NULL,
  line INTEGER,
  sum INTEGER NOT NULL
) STRICT;

CREATE TABLE model_link (
  id INTEGER PRIMARY KEY,
  source INTEGER NOT NULL,
  target INTEGER NOT NULL,
  option INTEGER NOT NULL,
  label INTEGER NOT NULL,
  rules INTEGER NOT NULL,
  sum INTEGER NOT NULL
) STRICT;

CREATE VIEW model_edge AS
SELECT k.id AS id, k.source AS source, k.target AS target, k.option AS option, l.agent AS agent,
  l.rule AS rule, l.text AS text, l.line AS line, k.rules AS rules
FROM model_link k JOIN model_label l ON l.id = k.label;

CREATE VIEW model_ends AS
SELECT o.id AS outcome, o.kind AS kind, o.text AS text, count(*) AS states, min(s.depth) AS depth,
  (SELECT n.id FROM model_state n WHERE n.outcome = o.id ORDER BY n.depth, n.id LIMIT 1) AS nearest
FROM model_outcome o JOIN model_state s ON s.outcome = o.id
GROUP BY o.id;

CREATE VIEW model_shortest AS
WITH RECURSIVE back (outcome, state, via, depth) AS (
  SELECT e.outcome, s.id, s.via, s.depth FROM model_ends e JOIN model_state s ON s.id = e.nearest
  UNION ALL
  SELECT b.outcome, s.id, s.via, s.depth
  FROM back b JOIN model_link e ON e.id = b.via JOIN model_state s ON s.id = e.source
)
-- Not over model_edge: SQLite would make all of that first.
SELECT b.outcome AS outcome, b.depth AS step, b.state AS state, l.agent AS agent, l.rule AS rule,
  l.text AS text, l.line AS line
FROM back b LEFT JOIN model_link k ON k.id = b.via LEFT JOIN model_label l ON l.id = k.label;

CREATE VIEW model_steps AS
SELECT e.source AS state, e.option AS option, e.target AS target, e.agent AS agent, e.rule AS rule,
  e.text AS text, e.line AS line, e.rules AS rules, s.outcome AS outcome
FROM model_edge e JOIN model_state s ON s.id = e.target;

-- How much is here, and of how many states the text: it is left out of large graphs.
CREATE VIEW model_summary AS
SELECT p.name AS name, p.language AS language, p.options AS options, p.complete AS complete,
  (SELECT count(*) FROM model_state) AS states, (SELECT count(*) FROM model_link) AS edges,
  (SELECT count(*) FROM model_outcome) AS outcomes, (SELECT count(text) FROM model_state) AS described
FROM model_program p;

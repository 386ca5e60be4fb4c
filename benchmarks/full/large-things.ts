import type pg from "pg";

/** Adds a chain of copies of a node to a graph. The node has a receiver `rows` and a transmitter `out`. */
export async function addNodes(pool: pg.Pool, graphId: string, node: number, count: number): Promise<void> {
  await pool.query(
    `with added as (
      insert into nodes (id, graph_id, class, name, x, y, api, source_code)
      select gen_random_uuid(), $1, class, 'Step ' || n, (n % 150) * 320, (n / 150) * 220, api, source_code
      from nodes, generate_series(1, $3::int) n where metadata_id = $2 returning metadata_id
    ), ordered as (select metadata_id, lead(metadata_id) over (order by metadata_id) as next from added)
    insert into edges (graph_id, source_id, transmitter, target_id, receiver)
    select $1, metadata_id, 'out', next, 'rows' from ordered where next is not null`,
    [graphId, node, count],
  );
  await pool.query("update graphs set revision = revision + 1 where id = $1", [graphId]);
}

/** An ended session of a graph with a long log. */
export async function addLog(pool: pg.Pool, graphId: string, accountId: string, lines: number): Promise<string> {
  const { rows } = await pool.query<{ id: string }>(
    `insert into jobs (id, tag, graph_id, account_id, name, state, engine, ended_at, last_line)
    values (gen_random_uuid(), 1, $1, $2, 'A long log', 'EXITED', 'local', now(), $3) returning id`,
    [graphId, accountId, lines],
  );
  const id = rows[0]?.id ?? "";
  await pool.query(
    `insert into log_chunks (job_id, first_line, lines, bytes, entries)
    select $1, first, 1000, 100000, (
      select json_agg(json_build_array(first + n, 1, 20, 1700000000000 + n, 'line ' || first + n || repeat(' of some length', 6)))
      from generate_series(0, 999) n)::text
    from generate_series(1, $2::int, 1000) first`,
    [id, lines],
  );
  return id;
}

/** A run of that session with many nodes. */
export async function addRun(pool: pg.Pool, jobId: string, nodes: number): Promise<string> {
  const { rows } = await pool.query<{ id: string }>(
    `insert into runs (id, graph_id, account_id, job_id, session_tag, session_name, number, command, mode, graph_revision, state,
      first_line, last_line, ended_at)
    select gen_random_uuid(), graph_id, account_id, id, tag, name, 1, 1, 'all', 1, 'done', 1, last_line, now()
    from jobs where id = $1 returning id`,
    [jobId],
  );
  const id = rows[0]?.id ?? "";
  await pool.query(
    `insert into run_nodes (run_id, node_id, name, planned, reason, status, seconds, fires, spans)
    select $1, n, 'Step ' || n, true, 'It has not run yet.', 'done', 0.1, 1, json_build_array(json_build_array(n, n, n + 1))
    from generate_series(1, $2::int) n`,
    [id, nodes],
  );
  return id;
}

/** A model of a graph. */
export async function addModel(pool: pg.Pool, graphId: string): Promise<void> {
  await pool.query(
    `with made as (
      insert into models (id, project_id, name, graph_id, authors, miranda_version, hardware, metrics, latest_version)
      select gen_random_uuid(), project_id, 'a model', id, array['bench'], '0.1.0', array['CPU'], '{"loss": 0.1}', 1
      from graphs where id = $1 returning *
    )
    insert into model_versions (model_id, number, graph_id, author, metrics)
    select id, 1, graph_id, authors[1], metrics from made`,
    [graphId],
  );
}

import type Sqlite from 'better-sqlite3'
import type { StoredJob } from '../../jobs/job.ts'
import type { Database } from './database.ts'

/**
 * The treatment of a table in a restore. `data`: the backup's rows are used. `ended`: all rows are deleted. `still`: a row stays only if the
 * replaced database has it too, with that database's values. `now`: the rows of the replaced database are used. `both`: the rows of the replaced
 * database are added to the backup's. `now` and `both` hold the SQL condition that these rows must meet.
 */
type Fate = 'data' | 'ended' | 'still' | { now: string } | { both: string }

const data = (...tables: string[]): Record<string, Fate> => Object.fromEntries(tables.map((table) => [table, 'data']))

/**
 * The treatment of each table in a restore, parents before children. A row that gives a person a right comes back only if nobody has taken the right
 * away since.
 */
export const fates: Readonly<Record<string, Fate>> = {
  sign_ins: 'ended',
  links: 'ended',
  decision_challenges: 'ended',
  change_arms: 'ended',
  // A refresh token in a backup may have been used since. Each server needs a new sign-in.
  attached_sign_ins: 'ended',
  channel_pairings: 'ended',
  channel_nonces: 'ended',
  channel_choices: 'ended',
  api_tokens: 'still',
  oauth_consents: 'still',
  oauth_secrets: 'still',
  passkeys: 'still',
  signer_keys: 'still',
  foreign_accounts: 'still',

  session_shares: 'still',
  skills: 'still',
  attached_tiers: 'still',
  attached_programs: 'still',
  maintenance_windows: 'still',
  channel_recipients: 'still',
  push_subscriptions: 'still',
  second_factors: { now: 'person IN (SELECT id FROM main.people)' },
  recovery_codes: { now: 'person IN (SELECT id FROM main.people)' },
  revoked_tokens: { both: 'TRUE' },
  memory_forgotten: { both: 'session_id IN (SELECT id FROM main.sessions)' },
  // Code below compares these rows one by one.
  ...data('people', 'jobs', 'settings', 'grants', 'confirmations', 'executions', 'changes'),
  ...data('sessions', 'runs', 'entries', 'journal', 'journal_segments', 'replies', 'session_index', 'kept_runs'),
  ...data('memory_writes', 'attached_servers', 'oauth_clients', 'samples', 'sample_series', 'images', 'drills'),
  ...data(
    'alerts',
    'checks',
    'plans',
    'job_slots',
    'spendings',
    'run_budgets',
    'questions',
    'asked',
    'attachments',
    'feedback',
  ),
  // At the next look, each guest is compared with the stored generation of its VMID.
  ...data('guest_generations'),
  ...data('attached_bytes', 'outbox', 'channel_chats', 'channel_heard', 'file_changes', 'held_inputs'),
}

/** Settings that keep the replaced database's values, because each is a right or limits one. */
const settingsNow = [
  'profile',
  'jobs_stopped',
  'pveHook',
  'password_mark',
  'broken_glass',
  'clock_floor',
  'policy_good',
]
const looseProfiles = ['permissive', 'unrestricted']

/** The replaced database. `same`: it belongs to this installation. `other`: to another one. `damaged`: it cannot be read. */
export type Replaced = 'same' | 'other' | 'damaged' | 'none'
/** The way to read the replaced database. `attached`: it is attached under the schema name `was`. */
export type Was = 'attached' | 'damaged' | 'none'
export type RestoredRights = {
  replaced: Replaced
  /** The people who can sign in after the restore. `isBack`: only the backup says that the person still exists. */
  people: { name: string; role: string; isDisabled: boolean; isBack: boolean }[]
  /** People whom the backup describes differently. Each keeps the state of the replaced database. */
  stay: { name: string; as: string }[]
  /** Names of programs' tokens that become valid again, although no data here says that they still are. */
  tokens: string[]
}

/**
 * Removes from a backup the rights that were taken away since, and the rights that a thief of an old phone or password could use. Call it in the
 * restore's transaction.
 * @param isProven true if the backup is as JARVIS made it; rights that only an unproven backup names are not given
 */
export function takeBack(
  { sql }: Pick<Database, 'sql'>,
  parts: { was: Was; isProven: boolean; now: number },
): RestoredRights {
  const { was, isProven, now } = parts
  const isSame = was === 'attached' && areSame(sql)
  const tables = new Set(
    sql.prepare<[], string>("SELECT name FROM main.sqlite_schema WHERE type = 'table'").pluck().all(),
  )
  for (const [table, fate] of Object.entries(fates)) {
    if (!tables.has(table)) continue
    if (fate === 'ended') sql.exec(`DELETE FROM main.${table}`)
    else if (isSame && fate !== 'data') merge(sql, table, fate)
  }
  // No data here says that an owner allowed the programs of a restored mcp.json, so each of them counts as new.
  if (!isSame && tables.has('attached_programs')) sql.exec('DELETE FROM main.attached_programs')
  // A phone that was lost since the backup must not approve or talk.
  sql.exec("UPDATE main.channel_recipients SET decides = 'none', talks = 0")
  if (!isProven) {
    sql.exec('DELETE FROM main.attached_tiers; DELETE FROM main.skills')
    for (const profile of looseProfiles)
      sql.prepare("DELETE FROM main.settings WHERE key = 'profile' AND value = ?").run(profile)
  }
  const stay = isSame ? mergePeople(sql, isProven, now) : []
  mergeSettings(sql, isSame, now)
  pauseJobs(sql, { isSame, isProven, now })
  const here = isSame
    ? new Set(sql.prepare<[], string>('SELECT id FROM was.people WHERE removed_at IS NULL').pluck().all())
    : new Set<string>()
  const people = sql
    .prepare<[], { id: string; name: string; role: string; isOff: number }>(
      'SELECT id, name, role, disabled_at IS NOT NULL AS isOff FROM main.people WHERE removed_at IS NULL ORDER BY name',
    )
    .all()
    .map(({ id, name, role, isOff }) => ({ name, role, isDisabled: isOff === 1, isBack: !here.has(id) }))
  const tokens = isSame ? [] : sql.prepare<[], string>('SELECT name FROM main.api_tokens ORDER BY name').pluck().all()
  return { replaced: was === 'attached' ? (isSame ? 'same' : 'other') : was, people, stay, tokens }
}

/** True if both databases share an entry of the journal or a row with a random id. */
function areSame(sql: Sqlite.Database): boolean {
  const shared = [
    'SELECT 1 FROM main.journal JOIN was.journal AS w USING (seq, hash) LIMIT 1',
    'SELECT 1 FROM main.journal_segments JOIN was.journal_segments AS w USING (last_seq, last_hash) LIMIT 1',
    'SELECT 1 FROM main.journal AS j JOIN was.journal_segments AS w ON j.seq = w.last_seq AND j.hash = w.last_hash LIMIT 1',
    'SELECT 1 FROM main.journal_segments AS j JOIN was.journal AS w ON j.last_seq = w.seq AND j.last_hash = w.hash LIMIT 1',
    'SELECT 1 FROM main.sessions JOIN was.sessions AS w USING (id) LIMIT 1',
    "SELECT 1 FROM main.people JOIN was.people AS w USING (id) WHERE id <> 'operator' LIMIT 1",
    'SELECT 1 FROM main.api_tokens JOIN was.api_tokens AS w USING (hash) LIMIT 1',
  ]
  return shared.some((query) => sql.prepare(query).get() !== undefined)
}

function merge(sql: Sqlite.Database, table: string, fate: Exclude<Fate, 'data' | 'ended'>) {
  const columns = sql.prepare<[string], { name: string; pk: number }>('SELECT name, pk FROM pragma_table_info(?)')
  const all = columns.all(table)
  const names = all.map(({ name }) => name).join(', ')
  if (fate === 'still') {
    const isIt = all.flatMap(({ name, pk }) => (pk > 0 ? [`w.${name} = main.${table}.${name}`] : [])).join(' AND ')
    sql.exec(`DELETE FROM main.${table} WHERE NOT EXISTS (SELECT 1 FROM was.${table} AS w WHERE ${isIt})`)
    sql.exec(`UPDATE main.${table} SET (${names}) = (SELECT ${names} FROM was.${table} AS w WHERE ${isIt})`)
    return
  }
  if ('now' in fate) sql.exec(`DELETE FROM main.${table}`)
  const which = 'now' in fate ? fate.now : fate.both
  sql.exec(`INSERT OR IGNORE INTO main.${table} (${names}) SELECT ${names} FROM was.${table} WHERE ${which}`)
}

type PersonRow = { id: string; name: string; role: string; disabled_at: number | null; removed_at: number | null }

/** Sets people to the state of the replaced database. @returns the people whom the backup describes differently */
function mergePeople(sql: Sqlite.Database, isProven: boolean, now: number): RestoredRights['stay'] {
  const rows = (of: 'main' | 'was') =>
    sql.prepare<[], PersonRow>(`SELECT id, name, role, disabled_at, removed_at FROM ${of}.people`).all()
  const here = new Map(rows('was').map((row) => [row.id, row]))
  const remove = sql.prepare('UPDATE main.people SET removed_at = ?, password_hash = NULL WHERE id = ?')
  const update = sql.prepare(
    `UPDATE main.people SET (role, disabled_at, password_hash, last_seen_at) =
       (SELECT role, disabled_at, password_hash, last_seen_at FROM was.people AS w WHERE w.id = main.people.id) WHERE id = ?`,
  )
  const rename = sql.prepare('UPDATE OR IGNORE main.people SET name = ? WHERE id = ?')
  const stay: RestoredRights['stay'] = []
  const left: PersonRow[] = []
  for (const { id, name, role, disabled_at, removed_at } of rows('main')) {
    if (removed_at !== null) continue
    const known = here.get(id)
    if (known === undefined && isProven) continue
    if (known === undefined || known.removed_at !== null) {
      remove.run(known?.removed_at ?? now, id)
      stay.push({ name, as: known === undefined ? 'unknown' : 'removed' })
      continue
    }
    update.run(id)
    left.push(known)
    if (known.role !== role) stay.push({ name, as: known.role })
    if (known.disabled_at !== null && disabled_at === null) stay.push({ name, as: 'disabled' })
  }
  for (const { id, name } of left) rename.run(name, id)
  return stay
}

/** Ends the first owner's earlier tokens, which have no row. If the replaced database is of the same installation, takes some settings from it. */
function mergeSettings(sql: Sqlite.Database, isSame: boolean, now: number) {
  const drop = sql.prepare('DELETE FROM main.settings WHERE key = ?')
  const validFrom = (of: 'main' | 'was') =>
    Number(sql.prepare(`SELECT value FROM ${of}.settings WHERE key = 'tokens_valid_from'`).pluck().get() ?? 0)
  const ends = [Math.floor(now / 1_000) * 1_000, validFrom('main'), ...(isSame ? [validFrom('was')] : [])]
  sql
    .prepare("INSERT OR REPLACE INTO main.settings (key, value) VALUES ('tokens_valid_from', ?)")
    .run(String(Math.max(...ends)))
  // The last good policy of the backup must never take effect in place of a policy.yaml that is present and cannot be used.
  drop.run('policy_good')
  if (!isSame) return
  const take = sql.prepare('INSERT INTO main.settings (key, value) SELECT key, value FROM was.settings WHERE key = ?')
  for (const key of settingsNow) {
    drop.run(key)
    take.run(key)
  }
}

/** Pauses jobs that were paused or deleted since the backup. With an unproven backup, pauses every job that the replaced database lacks. */
function pauseJobs(sql: Sqlite.Database, of: { isSame: boolean; isProven: boolean; now: number }) {
  const rows = (place: 'main' | 'was') =>
    sql
      .prepare<[], string>(`SELECT facts FROM ${place}.jobs`)
      .pluck()
      .all()
      .map((facts) => JSON.parse(facts) as StoredJob)
  const here = new Map(of.isSame ? rows('was').map((job) => [job.id, job]) : [])
  const save = sql.prepare('UPDATE main.jobs SET facts = ? WHERE id = ?')
  for (const job of rows('main')) {
    const known = here.get(job.id)
    const paused = { by: 'cli', at: of.now, why: 'A backup was restored, and the job was not there any more.' }
    if (known !== undefined && !of.isProven) save.run(JSON.stringify(known), job.id)
    else if (job.state !== 'active' || known?.state === 'active') continue
    else if (known !== undefined) save.run(JSON.stringify({ ...job, state: known.state, paused: known.paused }), job.id)
    else if (!of.isProven || (of.isSame && !job.isShipped))
      save.run(JSON.stringify({ ...job, state: 'paused', paused }), job.id)
  }
}

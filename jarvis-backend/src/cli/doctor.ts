import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { systemClock } from 'node-kit/clock'
import type { DoctorCheck, DoctorReply, JournalVerification } from 'protocol'
import { type Config, ConfigError } from '../config/config.ts'
import { policyPath, readPolicy } from '../config/policy-file.ts'
import { readStartConfig } from '../config/settings-file.ts'
import { portChecks } from '../doctor/address-checks.ts'
import { databaseChecks } from '../doctor/data-checks.ts'
import { examine, unusable } from '../doctor/doctor.ts'
import { leftOutCheck } from '../doctor/left-out.ts'
import { embeddingChecks } from '../doctor/model-checks.ts'
import { peopleChecks, wantsProof } from '../doctor/people-checks.ts'
import { policyChecks } from '../doctor/policy-checks.ts'
import { createRedactor } from '../gate/index.ts'
import { LearnedStore } from '../providers/index.ts'
import { SqlitePasskeyStore } from '../store/sqlite/access/passkeys.ts'
import { SqliteSignerKeyStore } from '../store/sqlite/access/signer-keys.ts'
import { unseenIn } from '../store/sqlite/channels/unseen.ts'
import { inspectDatabase } from '../store/sqlite/inspect.ts'
import { SqliteSettings } from '../store/sqlite/settings.ts'
import { withJournal } from './data.ts'
import type { Input } from './options.ts'
import { peopleIn } from './people-in.ts'
import { unmetHere } from './unmet-here.ts'

const marks = { ok: '✓', warn: '!', bad: '✗' }

/** `jarvis doctor`: prints one line for each check. Exit code 1 if something is broken. */
export async function doctor(
  env: Record<string, string | undefined>,
  { values }: Input<{ json?: boolean; 'no-model'?: boolean }>,
): Promise<void> {
  // The timer keeps the process alive while only unreferenced timers and sockets are active.
  const alive = setInterval(() => {}, 60_000)
  try {
    const found = await look(env, values['no-model'] !== true)
    console.log(values.json === true ? JSON.stringify(found, null, 2) : linesOf(found).join('\n'))
    if (!found.ok) process.exitCode = 1
  } finally {
    clearInterval(alive)
  }
}

async function look(env: Record<string, string | undefined>, asksModel: boolean): Promise<DoctorReply> {
  let config: Config
  try {
    config = readStartConfig(env)
  } catch (error) {
    if (error instanceof ConfigError) return unusable(error.message, Date.now())
    throw error
  }
  return examine(config, {
    clock: systemClock,
    envPath: '.env',
    asksModel,
    async database() {
      const found = await databaseChecks(config.dataDir, Number.POSITIVE_INFINITY, () => verified(config))
      const isSound = !found.some(({ health }) => health === 'bad')
      return [...found, ...(isSound ? await storedHere(config) : []), ...(await quorumChecks(config))]
    },
    // A remote embeddings server charges for the request of this check.
    embeddings: async (signal) =>
      !asksModel && config.embeddings.kind === 'openai' ? [] : embeddingChecks(config.embeddings, signal),
    port: (signal) => portChecks(config, signal),
    redact: createRedactor(config.secrets).text,
  })
}

/**
 * Reports rules that require more people than may sign in. A faulty policy.yaml is not reported here, because it already stops the start with a
 * message.
 */
async function quorumChecks(config: Config): Promise<DoctorCheck[]> {
  const read = readPolicy(policyPath(config.dataDir), 'policy.yaml')
  if (read.kind !== 'read' || !existsSync(join(config.dataDir, 'jarvis.db'))) return []
  return policyChecks(await unmetHere(config, read.file))
}

/** Checks a database that this release wrote. The database of an older release is left alone, because opening it would migrate it. */
async function storedHere(config: Config): Promise<DoctorCheck[]> {
  const path = join(config.dataDir, 'jarvis.db')
  let found: DoctorCheck[] = []
  if (!existsSync(path) || !inspectDatabase(path, 0).isCurrent) return found
  await withJournal(config, (journal, database) => {
    const { people, links } = peopleIn(config.dataDir, journal, database)
    const passkeys = new SqlitePasskeyStore(database)
    const keys = new SqliteSignerKeyStore(database)
    const policy = readPolicy(policyPath(config.dataDir), 'policy.yaml')
    found = peopleChecks({
      people: people.list(),
      invitations: links.invitations(),
      hasSigner: (person) => passkeys.list(person).length + keys.list(person, 'ssh').length > 0,
      unseen: unseenIn(database, Date.now()),
      wantsProof: policy.kind === 'read' && wantsProof(policy.file),
    })
    const settings = new SqliteSettings(database)
    const learned = new LearnedStore({ settings, clock: systemClock, redact: (text) => text, leftOut: () => {} })
    found.push(...learned.leftOut(config.models).map(([id, left]) => leftOutCheck(id, left)))
  })
  return found
}

async function verified(config: Config): Promise<JournalVerification> {
  let found: JournalVerification = { ok: true, entries: 0 }
  await withJournal(config, async (journal) => {
    found = await journal.verify()
  })
  return found
}

function linesOf({ checks, ok }: DoctorReply): string[] {
  const width = Math.max(...checks.map(({ area }) => area.length))
  const lines = checks.map(
    ({ health, area, text, fix }) =>
      `${marks[health]} ${area.padEnd(width)}  ${text}${fix === undefined ? '' : ` → ${fix}`}`,
  )
  const count = (wanted: string) => checks.filter(({ health }) => health === wanted).length
  const end = ok ? 'Nothing is broken' : `${count('bad')} broken`
  return [...lines, '', `${end}, ${count('warn')} to look at, ${count('ok')} in order.`]
}

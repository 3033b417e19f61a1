import { copyFileSync, existsSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { writeWhole } from 'node-kit/whole-file'
import { JarvisError } from 'protocol'
import {
  isSealed,
  keyringName,
  type Rotated,
  rotate,
  SecretsRefused,
  sealedRows,
  sealedRowsIn,
  sealRows,
} from 'secrets'
import type { Config } from '../config/config.ts'
import { openDataDir } from '../config/data-dir.ts'
import { readEnvFile, settingsPath, writeEnvFile } from '../config/env-file.ts'
import { sealFiles, secretFiles } from '../config/sealed-files.ts'
import { boxOf } from '../config/sealing.ts'
import { surveySecrets } from '../config/secret-survey.ts'
import type { Database } from '../store/sqlite/database.ts'
import { isDataDirLocked, lockDataDir } from '../store/sqlite/lock.ts'
import { withData } from './data.ts'
import type { Input } from './options.ts'

const words = {
  sealed: 'sealed',
  old: 'sealed with an older data key; the next start seals it again',
  oldAtWork: 'sealed with an older data key, which the running server uses until it restarts',
  plain: 'NOT sealed; the next start seals it',
  closed: 'sealed, and no key here opens it',
}

/** `jarvis secrets`: shows which secrets are sealed, changes the key, or sets aside secrets that no key opens. */
export async function secrets(config: Config, { positionals, values }: Input<{ json?: boolean }>): Promise<void> {
  const [action = 'status', ...rest] = positionals
  if (rest.length > 0) throw new JarvisError('invalid_request', 'Use secrets status, secrets rotate or secrets forget.')
  switch (action) {
    case 'status':
      return status(config, values.json === true)
    case 'rotate':
      return changeKey(config)
    case 'forget':
      return forget(config)
    default:
      throw new JarvisError('invalid_request', 'Use secrets status, secrets rotate or secrets forget.')
  }
}

function status(config: Config, isJson: boolean): void {
  const found = surveySecrets(config)
  const { key, problem, plainCopies, isRotating } = found
  if (
    problem !== undefined ||
    plainCopies.length > 0 ||
    found.secrets.some(({ state }) => state === 'plain' || state === 'closed')
  )
    process.exitCode = 1
  if (isJson) {
    console.log(JSON.stringify(found, null, 2))
    return
  }
  const isAtWork = found.secrets.some(({ state }) => state === 'old') && isDataDirLocked(config.dataDir)
  for (const { place, state } of found.secrets)
    console.log(`${place}  ${words[state === 'old' && isAtWork ? 'oldAtWork' : state]}`)
  for (const name of plainCopies) console.log(`${name}  a copy with plain secrets; delete it when you do not need it`)
  for (const file of found.openToOthers) console.log(`${file}  other accounts can read this key`)
  if (problem !== undefined || key === undefined) {
    console.log(problem ?? 'No keys yet: the first start makes them.')
    return
  }
  console.log(
    `Key: ${key.id} of ${key.at}${key.isInDataDir ? ', in the data dir: a copy of the folder opens them' : ''}.`,
  )
  if (isRotating) console.log('A change of the key was not finished: npm run jarvis -- secrets rotate')
}

async function changeKey(config: Config): Promise<void> {
  const { dataDir, secretKeys } = config
  const before = surveySecrets(config)
  const known = new Set(before.secrets.flatMap(({ place, state }) => (state === 'closed' ? [] : [place])))
  let rotated: Rotated | undefined
  /** The places that held plain text; undefined while a server runs. */
  let sealed: string[] | undefined
  const work = () => {
    rotated = named(() =>
      rotate(dataDir, secretKeys, {
        verify: (box) => {
          const texts = [...secretFiles(dataDir).flatMap(({ leaves }) => leaves), ...sealedRowsIn(dataDir)]
          for (const { place, text } of texts) if (isSealed(text) && known.has(place)) box.open(place, text)
        },
        now: Date.now(),
      }),
    )
  }
  if (existsSync(join(dataDir, 'jarvis.db')))
    await withData(config, (journal, database) => {
      work()
      database.durably(() =>
        journal.append('setup', { change: 'secrets_rotated', by: 'cli', key: rotated?.master ?? '' }),
      )
      sealed = sealAgain(config, database)
      const places = sealed ?? []
      if (places.length > 0)
        database.durably(() => journal.append('setup', { change: 'secrets_sealed', by: 'cli', places }))
    })
  else {
    work()
    sealed = sealAgain(config)
  }
  if (rotated === undefined) return
  const { master, at, isResumed, unneeded } = rotated
  console.log(
    `${isResumed ? 'Done: the key' : 'Done: the new key'} ${master} of ${at} counts, and opened every secret. Keep a copy of it elsewhere, apart from backups of the data dir.`,
  )
  if (sealed === undefined)
    console.log(
      'The running server keeps the data key of before until it restarts; then it seals every secret with the new one.',
    )
  for (const place of unneeded) console.log(`${place} holds a key that opens nothing any more: take it out.`)
  console.log('Backups made before still need the key of their time.')
}

/**
 * Seals everything with the newest data key, as a start does. Works only while no server runs, because a running server knows only the data keys of
 * its start, and writes these files itself. @returns the places that held plain text; undefined if a server runs
 */
function sealAgain(config: Config, database?: Database): string[] | undefined {
  const dataDir = openDataDir(config.dataDir)
  if (isDataDirLocked(dataDir)) return undefined
  const unlock = lockDataDir(dataDir)
  try {
    const box = boxOf(config)
    const sealed = sealFiles(dataDir, box)
    if (database !== undefined) sealRows(database.sql, box, database.durably)
    return sealed
  } finally {
    unlock()
  }
}

/** Works only while no server runs, because a running server has the key. */
async function forget(config: Config): Promise<void> {
  const dataDir = openDataDir(config.dataDir)
  const unlock = lockDataDir(dataDir)
  try {
    const { secrets: found, problem } = surveySecrets(config)
    const closed = new Set(found.flatMap(({ place, state }) => (state === 'closed' ? [place] : [])))
    if (closed.size === 0 && problem === undefined) {
      console.log('Every secret opens: there is nothing to forget.')
      return
    }
    const suffix = `.before-forget-${new Date().toISOString().replace(/[:.]/g, '-')}`
    for (const file of secretFiles(dataDir)) {
      const own = file.leaves.filter(({ place }) => closed.has(place))
      if (own.length === 0) continue
      const path = join(dataDir, file.name)
      copyFileSync(path, path + suffix)
      for (const { put } of own) put(undefined)
      writeWhole(path, file.toText())
    }
    dropRest(dataDir, closed)
    await forgetRows(config, closed, suffix)
    const keyring = join(dataDir, keyringName)
    if (problem !== undefined && existsSync(keyring)) renameSync(keyring, keyring + suffix)
    console.log(closed.size === 0 ? 'The keys were set aside.' : `Set aside: ${[...closed].join(', ')}.`)
    console.log(
      `What was there is kept as *${suffix}: with its key it can be put back. Start JARVIS and enter the secrets again.`,
    )
  } finally {
    unlock()
  }
}

/** Removes sealed rows that no key opens from the database, and keeps their texts in a file. */
async function forgetRows(config: Config, closed: ReadonlySet<string>, suffix: string): Promise<void> {
  const isClosed = ({ place }: { place: string }) => closed.has(place)
  const found = sealedRowsIn(config.dataDir).filter(isClosed)
  if (found.length === 0) return
  const kept = join(config.dataDir, `sealed-rows.json${suffix}`)
  writeWhole(kept, `${JSON.stringify(found, undefined, 2)}\n`)
  await withData(config, (journal, database) =>
    database.durably(() => {
      for (const row of sealedRows(database.sql).filter(isClosed)) row.put(undefined)
      journal.append('setup', { change: 'secrets_forgotten', by: 'cli', places: found.map(({ place }) => place) })
    }),
  )
  console.log('Second factors among them are off: the password alone signs these people in.')
}

/** Settings that are forgotten together with a secret, because without the secret they would stop the start. */
const goesWith: readonly (readonly [secret: string, (name: string, value: string) => boolean])[] = [
  ['PVE_TOKEN_SECRET', (name) => name.startsWith('PVE_')],
  ['PBS_TOKEN_SECRET', (name) => name.startsWith('PBS_')],
  ['PROXMOX_DRILL_TOKEN_SECRET', (name) => name.startsWith('PROXMOX_DRILL_')],
  ['ANTHROPIC_API_KEY', (name, value) => name === 'JARVIS_MODEL' && value.startsWith('anthropic/')],
  ['OPENAI_API_KEY', (name, value) => name === 'JARVIS_MODEL' && value.startsWith('openai/')],
]

function dropRest(dataDir: string, closed: ReadonlySet<string>): void {
  const path = settingsPath(dataDir)
  const gone = goesWith.filter(([secret]) => closed.has(`settings.env/${secret}`))
  const names = Object.entries(readEnvFile(path)).flatMap(([name, value]) =>
    gone.some(([, goes]) => goes(name, value)) ? [name] : [],
  )
  if (names.length > 0) writeEnvFile(path, Object.fromEntries(names.map((name) => [name, undefined])))
}

function named<T>(work: () => T): T {
  try {
    return work()
  } catch (error) {
    if (error instanceof SecretsRefused) throw new JarvisError('conflict', error.message)
    throw error
  }
}

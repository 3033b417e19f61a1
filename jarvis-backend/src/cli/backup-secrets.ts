import Sqlite from 'better-sqlite3'
import { addKeys, backupKeys, isSealed, keyringName, SecretsRefused, sealedRows } from 'secrets'
import { secretsIn } from '../config/sealed-files.ts'
import type { Sealing } from '../config/sealing.ts'
import { surveySecrets } from '../config/secret-survey.ts'
import type { BackedUpFile } from '../store/sqlite/backup.ts'

/**
 * Reads the secrets of a finished backup, to check it.
 * @returns lines for a person: the secrets that are sealed in the backup (one was opened as a sample), and the secrets that are not sealed
 */
export function secretsOfBackup(file: string, { dataDir, secretKeys }: Sealing): string[] {
  const { texts, rows } = readBackup(file)
  const leaves = [...(secretsIn('mcp.json', texts.get('mcp.json') ?? '')?.leaves ?? []), ...rows]
  const plain = leaves.filter(({ text }) => !isSealed(text))
  const warning =
    plain.length === 0
      ? []
      : [
          `NOT sealed in it: ${plain.map(({ place }) => place).join(', ')}. Keep it where only you can read it; the next start of JARVIS seals them, then back up again.`,
        ]
  const keyring = texts.get(keyringName)
  if (keyring === undefined) return warning
  const { box, master, at } = backupKeys(keyring, dataDir, secretKeys)
  const [sample] = leaves.filter(({ text }) => isSealed(text))
  if (box === undefined)
    return [...warning, `Its sealed secrets were not tried: the key ${master} is not here. They open with it alone.`]
  // `open` throws if the backup does not contain the sealed text.
  if (sample !== undefined) box.open(sample.place, sample.text)
  const tried = sample === undefined ? 'the newest data key' : sample.place
  return [
    ...warning,
    `Sealed secrets stay sealed in it: ${tried} was read back and opened with the key ${master} of ${at}, which is not in it. Without that key a restore cannot open them: keep a copy of it elsewhere.`,
  ]
}

/** The reason why the data keys of a backup cannot be put back; undefined if they can. */
export function closedKeyring(files: readonly BackedUpFile[], { dataDir, secretKeys }: Sealing): string | undefined {
  const keyring = files.find(({ path }) => path === keyringName)
  try {
    if (keyring !== undefined) backupKeys(keyring.text, dataDir, secretKeys)
    return undefined
  } catch (error) {
    if (error instanceof SecretsRefused) return error.message
    throw error
  }
}

/** Adds the data keys of a restored backup to the present ones. @returns lines that name the secrets that cannot be opened */
export function secretsOfRestored(of: Sealing, keyring: string | undefined): string[] {
  const missing = keyring === undefined ? [] : addKeys(of.dataDir, of.secretKeys, keyring)
  const { secrets, problem } = surveySecrets(of)
  const closed = secrets.flatMap(({ place, state }) => (state === 'closed' ? [place] : []))
  if (missing.length === 0 && closed.length === 0) return []
  const what = [...closed, 'what is sealed in the database'].join(', ')
  return [
    `Missing: ${what}. The key ${missing.join(', ')} that opens it is not here. Put it into the key file beside any other, a line each (see: npm run jarvis -- secrets status).`,
    ...(problem === undefined ? [] : ['JARVIS does not start without it, or after: npm run jarvis -- secrets forget']),
  ]
}

function readBackup(file: string) {
  const sql = new Sqlite(file, { readonly: true })
  try {
    const files = sql.prepare<[], { path: string; text: string }>('SELECT path, text FROM backup_files').all()
    return { texts: new Map(files.map(({ path, text }) => [path, text])), rows: sealedRows(sql) }
  } finally {
    sql.close()
  }
}

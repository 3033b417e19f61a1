import { existsSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import type { Config } from '../config/config.ts'
import { openDataDir } from '../config/data-dir.ts'
import { masterTexts } from '../config/sealing.ts'
import { JarvisError } from '../protocol/index.ts'
import { keyringName } from '../secrets/index.ts'
import { backUp } from '../store/sqlite/backup.ts'
import { lockDataDir } from '../store/sqlite/lock.ts'
import { restore as restoreBackup } from '../store/sqlite/restore.ts'
import { filesToBackUp, putBack, strayFile } from './backup-files.ts'
import { secretsOfBackup, secretsOfRestored } from './backup-secrets.ts'
import { withJournal } from './data.ts'
import { readOptions } from './options.ts'
import { table } from './table.ts'

/** `jarvis backup`: copies the database and people's files, with or without a running server. */
export async function backup(config: Config, args: string[]): Promise<void> {
  const { file, force } = readFile(args, 'backup')
  if (dirname(file) === resolve(config.dataDir) && /^(jarvis\.db(-wal|-shm)?|lock\.db)$/.test(basename(file))) {
    throw new JarvisError('invalid_request', `${file} is what is to be backed up. Choose another name.`)
  }
  if (existsSync(file) && !force) throw new JarvisError('invalid_request', `${file} exists. --force overwrites it.`)
  if (!existsSync(dirname(file))) throw new JarvisError('invalid_request', `There is no folder ${dirname(file)}.`)
  await withJournal(config, async (_journal, database) => {
    const { files, notes } = filesToBackUp(config.dataDir, masterTexts(config))
    const isShown = process.stderr.isTTY
    const made = await backUp(database, {
      file,
      now: Date.now(),
      files,
      progress: (ratio) => isShown && process.stderr.write(`\rCopying: ${Math.round(ratio * 100)} %`),
    })
    if (isShown) process.stderr.write('\r\x1b[K')
    console.log(
      `Backed up to ${file}: ${megabytes(made.bytes)}, ${made.head.seq} journal entries, ${files.length} ${files.length === 1 ? 'file' : 'files'}, checked.`,
    )
    for (const line of [...notes, ...secretsOfBackup(file, config)]) console.log(line)
    if (!made.journal.ok) {
      console.log(`The journal in it is broken at entry ${made.journal.brokenAt}. ${made.journal.reason}`)
      process.exitCode = 1
    }
  })
}

/** `jarvis restore`: puts a backup in place. No server may run on the data dir. */
export async function restore(config: Config, args: string[]): Promise<void> {
  const { file, force } = readFile(args, 'restore')
  if (!existsSync(file)) throw new JarvisError('not_found', `There is no ${file}.`)
  const dataDir = openDataDir(config.dataDir)
  if (file === resolve(dataDir, 'jarvis.db')) {
    throw new JarvisError('invalid_request', `${file} is in its place already.`)
  }
  const unlock = lockDataDir(dataDir)
  try {
    const now = Date.now()
    const { backedUpAt, kept, head, files } = await restoreBackup(dataDir, {
      ...{ file, now, evenBroken: force },
      refuse: strayFile,
    })
    const put = putBack(dataDir, files, now)
    const of =
      backedUpAt === undefined ? '' : ` of ${new Date(backedUpAt).toISOString().slice(0, 16).replace('T', ' ')} UTC`
    const before = kept === undefined ? 'There was none before.' : `The one before is kept as ${kept}.`
    console.log(`Restored the backup${of} to ${join(dataDir, 'jarvis.db')}, journal entry ${head.seq}. ${before}`)
    if (put > 0) console.log(`Of the files beside it, ${put} were put back; what was there before is kept beside each.`)
    const keyring = files.find(({ path }) => path === keyringName)?.text
    for (const line of secretsOfRestored({ ...config, dataDir }, keyring)) console.log(line)
    console.log('Cards that waited in it expire. Tokens and sign-outs are as they were then: see token list.')
  } finally {
    unlock()
  }
}

function readFile(args: string[], command: string): { file: string; force: boolean } {
  const { values, positionals } = readOptions(args, table.backup.options)
  const [file, ...rest] = positionals
  if (file === undefined || rest.length > 0) throw new JarvisError('invalid_request', `Use ${command} FILE [--force].`)
  return { file: resolve(file), force: values.force === true }
}

const megabytes = (bytes: number) => `${(bytes / 1024 / 1024).toFixed(1)} MB`

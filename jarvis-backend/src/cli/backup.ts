import { existsSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { JarvisError } from 'protocol'
import { checkProof, keyringName } from 'secrets'
import type { Config } from '../config/config.ts'
import { openDataDir } from '../config/data-dir.ts'
import type { Sealing } from '../config/sealing.ts'
import { lockDataDir } from '../store/sqlite/lock.ts'
import { restore as restoreBackup } from '../store/sqlite/restore.ts'
import type { Replaced, RestoredRights } from '../store/sqlite/restore-rights.ts'
import { fileDiffOf } from '../workbench/files/diff.ts'
import { putBack, type RuleChange, ruleChanges, strayFile } from './backup-files.ts'
import { closedKeyring, secretsOfRestored } from './backup-secrets.ts'
import { withJournal } from './data.ts'
import { makeBackup } from './make-backup.ts'
import type { Input } from './options.ts'
import { createPrompt, isTerminal } from './terminal/prompt.ts'
import { visible } from './terminal/visible.ts'

/** `jarvis backup`: copies the database and people's files, with or without a running server. */
export async function backup(config: Config, input: Input<{ force?: boolean }>): Promise<void> {
  const { file, force } = fileOf(input, 'backup')
  if (dirname(file) === resolve(config.dataDir) && /^(jarvis\.db(-wal|-shm)?|lock\.db)$/.test(basename(file))) {
    throw new JarvisError('invalid_request', `${file} is what is to be backed up. Choose another name.`)
  }
  if (existsSync(file) && !force) throw new JarvisError('invalid_request', `${file} exists. --force overwrites it.`)
  if (!existsSync(dirname(file))) throw new JarvisError('invalid_request', `There is no folder ${dirname(file)}.`)
  await withJournal(config, async (_journal, database) => {
    const isShown = process.stderr.isTTY
    const made = await makeBackup(database, config, {
      file,
      now: Date.now(),
      progress: (ratio) => isShown && process.stderr.write(`\rCopying: ${Math.round(ratio * 100)} %`),
    })
    if (isShown) process.stderr.write('\r\x1b[K')
    const { files, notes, unprovable } = made
    console.log(
      `Backed up to ${file}: ${megabytes(made.bytes)}, ${made.head.seq} journal entries, ${files} ${files === 1 ? 'file' : 'files'}, checked.`,
    )
    for (const line of notes) console.log(line)
    if (unprovable !== undefined)
      console.log(
        `NOT proven: ${unprovable} A restore cannot tell whether somebody changed it, and asks for --unproven.`,
      )
    if (!made.journal.ok) {
      console.log(`The journal in it is broken at entry ${made.journal.brokenAt}. ${made.journal.reason}`)
      process.exitCode = 1
    }
  })
}

/** `jarvis restore`: puts a backup in place. No server may run on the data dir. */
export async function restore(
  config: Config,
  input: Input<{ force?: boolean; unproven?: boolean; 'backup-rules'?: boolean; yes?: boolean }>,
): Promise<void> {
  const { file, force, unproven, yes, takesRules } = fileOf(input, 'restore')
  if (!existsSync(file)) throw new JarvisError('not_found', `There is no ${file}.`)
  const dataDir = openDataDir(config.dataDir)
  if (file === resolve(dataDir, 'jarvis.db')) {
    throw new JarvisError('invalid_request', `${file} is in its place already.`)
  }
  const unlock = lockDataDir(dataDir)
  try {
    const now = Date.now()
    let rules: RuleChange[] = []
    let proven = false
    const done = await restoreBackup(dataDir, {
      file,
      now,
      evenBroken: force,
      refuse: (files) => strayFile(files) ?? closedKeyring(files, { ...config, dataDir }),
      prove(copy) {
        proven = isProven(copy, { ...config, dataDir }, { file, unproven })
        return proven
      },
      agree({ backedUpAt, rights, files }) {
        rules = ruleChanges(dataDir, files, { replaced: rights.replaced, isProven: proven, takes: takesRules })
        return agree(rights, rules, { backedUpAt, yes })
      },
    })
    if (done === undefined) return void console.log('Nothing was changed.')
    const { backedUpAt, kept, head, files } = done
    const staying = new Set(rules.flatMap(({ path, stays }) => (stays ? [path] : [])))
    const put = putBack(dataDir, files, { now, staying })
    const before = kept === undefined ? 'There was none before.' : `The one before is kept as ${kept}.`
    console.log(
      `Restored the backup${ofTime(backedUpAt)} to ${join(dataDir, 'jarvis.db')}, journal entry ${head.seq}. ${before}`,
    )
    if (put > 0) console.log(`Of the files beside it, ${put} were put back; what was there before is kept beside each.`)
    const keyring = files.find(({ path }) => path === keyringName)?.text
    for (const line of secretsOfRestored({ ...config, dataDir }, keyring)) console.log(line)
    console.log(
      'Cards that waited in it expire. All sign-ins, invitations and other links have ended; no channel approves or talks until its person allows it again.',
    )
  } finally {
    unlock()
  }
}

/** @returns true if the backup is as JARVIS wrote it @throws JarvisError if it is not and `--unproven` was not given */
function isProven(
  copy: string,
  { dataDir, secretKeys }: Sealing,
  { file, unproven }: { file: string; unproven: boolean },
): boolean {
  const proven = checkProof(copy, dataDir, secretKeys)
  if (proven.is === 'proven') return true
  const why = {
    changed: `${file} is not as JARVIS wrote it: it was changed or damaged since.`,
    unproven: `Nobody vouches for ${file}: it was made by an older JARVIS or is a plain copy, and whoever could write to it may have changed it.`,
    no_key: `Nobody vouches for ${file}: the key ${proven.is === 'no_key' ? proven.key : ''} that proves it is not here. Put it into the key file first (see: npm run jarvis -- secrets status).`,
  }[proven.is]
  if (!unproven) {
    const then = '--unproven restores it all the same: skills and tiers of attached tools are to be approved again.'
    throw new JarvisError('conflict', `${why} Nothing was changed. ${then}`)
  }
  console.log(why)
  return false
}

const replacedWords: Record<Replaced, string> = {
  same: 'People, roles, passwords and tokens that were taken since stay so.',
  other: 'The database in place is of another installation, so it is not known who was removed or lowered since.',
  damaged: 'The database in place cannot be read, so it is not known who was removed or lowered since.',
  none: 'There is no database in place, so it is not known who was removed or lowered since.',
}

/** Shows who can sign in after the restore, and asks for agreement. @throws JarvisError if nobody can be asked */
async function agree(
  rights: RestoredRights,
  rules: readonly RuleChange[],
  { backedUpAt, yes }: { backedUpAt: number | undefined; yes: boolean },
): Promise<boolean> {
  const { replaced, people, stay, tokens } = rights
  const names = people.map(({ name, role, isDisabled, isBack }) => {
    const more = [...(isDisabled ? ['disabled'] : []), ...(isBack ? ['comes back'] : [])]
    return `  ${visible(name)}  ${visible(role)}${more.map((word) => `, ${word}`).join('')}`
  })
  console.log(`Of the backup${ofTime(backedUpAt)}. Afterwards these people can sign in:`)
  console.log(names.length === 0 ? '  nobody' : names.join('\n'))
  if (stay.length > 0)
    console.log(
      `Had otherwise in the backup: ${stay.map(({ name, as }) => `${visible(name)} (stays ${as})`).join(', ')}.`,
    )
  if (tokens.length > 0) console.log(`Tokens that count again: ${tokens.map(visible).join(', ')}.`)
  console.log(replacedWords[replaced])
  if (!people.some(({ role, isDisabled }) => role === 'owner' && !isDisabled))
    console.log('No owner is among them. Afterwards: npm run jarvis -- user invite owner')
  for (const change of rules) console.log(ruleWords(change))
  if (yes) return true
  if (!isTerminal())
    throw new JarvisError(
      'conflict',
      'Nothing was changed: nobody can be asked here. --yes restores it as shown above.',
    )
  const prompt = createPrompt()
  prompt.onInterrupt(() => prompt.close())
  try {
    return /^y(es)?$/i.test((await prompt.line('Restore it? [y/N] ', { isFresh: true }))?.trim() ?? '')
  } finally {
    prompt.close()
  }
}

const mostRuleLines = 60
/** Describes how the restore treats a file of rules, and how the backup's file differs. */
function ruleWords({ path, now, backup, stays, because }: RuleChange): string {
  const lines = fileDiffOf(path, now ?? '', backup).flatMap((diff) => diff.lines)
  const more = lines.length - mostRuleLines
  const fate = stays
    ? `${path} ${now === undefined ? 'is not here, and stays away' : 'stays as it is here'}, because ${because}. The backup's is put beside it; --backup-rules takes it instead. It has:`
    : `${path} ${now === undefined ? 'comes back' : 'is replaced'}. The backup's has:`
  const shown = lines.slice(0, mostRuleLines).map((line) => `  ${visible(line)}`)
  return [fate, ...shown, ...(more > 0 ? [`  … ${more} more lines`] : [])].join('\n')
}

const ofTime = (at: number | undefined) =>
  at === undefined ? '' : ` of ${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC`

function fileOf({ values, positionals }: Input<Record<string, boolean>>, command: 'backup' | 'restore') {
  const [file, ...rest] = positionals
  const usage = {
    backup: 'backup FILE [--force]',
    restore: 'restore FILE [--force] [--unproven] [--backup-rules] [--yes]',
  }[command]
  if (file === undefined || rest.length > 0) throw new JarvisError('invalid_request', `Use ${usage}.`)
  const { force = false, unproven = false, yes = false, 'backup-rules': takesRules = false } = values
  return { file: resolve(file), force, unproven, yes, takesRules }
}

const megabytes = (bytes: number) => `${(bytes / 1024 / 1024).toFixed(1)} MB`

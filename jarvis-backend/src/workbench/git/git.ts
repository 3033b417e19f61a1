import { JarvisError } from 'protocol'
import { type Cell, inside, limited, usualLimits } from 'sandbox/argv'
import { relayBind, relayed } from 'sandbox/relay'
import { type Starter, startInCell } from 'sandbox/start'
import type { Clock } from '../../lib/clock.ts'

const gitInside = '/usr/bin/git'
const apartInside = '/run/apart'
const patienceMs = 30_000
const networkPatienceMs = 120_000
/** The most bytes of each stream that are kept. */
const mostBytes = 2 * 1024 ** 2

/**
 * Settings that override the repository's own: which programs run, which programs get the output, and what leads out of the repository. Filters are
 * programs too, but their names are chosen by the repository, so they are overridden separately.
 */
const settled: readonly (readonly [string, string])[] = [
  ['safe.directory', '*'],
  ['core.fsmonitor', 'false'],
  ['core.hooksPath', '/dev/null'],
  ['core.pager', 'cat'],
  ['core.editor', 'false'],
  ['core.askPass', ''],
  ['core.sshCommand', 'false'],
  ['core.gitProxy', ''],
  ['core.attributesFile', '/dev/null'],
  ['credential.helper', ''],
  ['diff.external', ''],
  ['gpg.program', 'false'],
  ['gpg.ssh.program', 'false'],
  ['commit.gpgSign', 'false'],
  ['tag.gpgSign', 'false'],
  ['push.gpgSign', 'false'],
  ['log.showSignature', 'false'],
  ['submodule.recurse', 'false'],
  ['diff.submodule', 'short'],
  ['diff.ignoreSubmodules', 'dirty'],
  ['status.submoduleSummary', 'false'],
  ['fetch.recurseSubmodules', 'no'],
  ['push.recurseSubmodules', 'no'],
  ['uploadpack.packObjectsHook', ''],
  ['gc.auto', '0'],
  ['maintenance.auto', 'false'],
  ['protocol.allow', 'never'],
]

/**
 * Options that keep git from starting another git in a submodule, where the submodule's own programs would run. They are options because a
 * repository's settings for single submodules override the settings above.
 */
const leavesThem = ['--ignore-submodules=dirty'] as const
const namesThem = [...leavesThem, '--submodule=short'] as const
const ofSubmodules: Readonly<Record<string, readonly string[]>> = {
  status: leavesThem,
  diff: namesThem,
  show: namesThem,
  log: namesThem,
}

/**
 * `egress`: the socket of a proxy that reaches only the remote. `apart`: a folder on the host for a separate index, and also for new objects if the
 * repository is not writable.
 */
export type GitOptions = {
  isWritable?: true
  egress?: string
  author?: { name: string; email: string }
  apart?: string
}
/** `text`: stdout. `said`: stderr. */
export type GitEnd = { exitCode: number; text: string; said: string; isCut: boolean }

/** Runs git on one repository, in the sandbox. Programs that the repository configures do not run. */
export type Git = {
  /**
   * Runs one git command. @param folder the folder on the host that holds `.git` @param args the arguments after `git`
   * @throws JarvisError `unavailable` if no sandbox starts
   */
  run(folder: string, args: readonly string[], how: GitOptions & { signal: AbortSignal }): Promise<GitEnd>
  /** The names of filters, such as `lfs`, for which the repository configures programs. Git would run them at `status`, `add` and `switch`. */
  filters(folder: string, signal: AbortSignal): Promise<string[]>
}

/** @param clock the real clock, because programs take real time */
export function createGit(clock: Clock, starter: Starter = {}): Git {
  async function run(
    folder: string,
    args: readonly string[],
    options: GitOptions & { signal: AbortSignal; filters?: readonly string[] },
  ): Promise<GitEnd> {
    const { signal, isWritable, egress, author, apart, filters = [] } = options
    const config = [
      ...settled,
      ...filters.flatMap((name): [string, string][] => [
        ...(['clean', 'smudge', 'process'] as const).map((of): [string, string] => [`filter.${name}.${of}`, '']),
        [`filter.${name}.required`, 'false'],
      ]),
      ...(egress === undefined ? [] : ([['protocol.https.allow', 'always']] as const)),
    ]
    const cell: Cell = {
      binds: [
        { from: folder, to: inside.work, ...(isWritable && { isWritable }) },
        ...(egress === undefined ? [] : [relayBind]),
        ...(apart === undefined ? [] : [{ from: apart, to: apartInside, isWritable: true as const }]),
      ],
      env: {
        GIT_DIR: `${inside.work}/.git`,
        GIT_WORK_TREE: inside.work,
        GIT_CONFIG_NOSYSTEM: '1',
        GIT_ATTR_NOSYSTEM: '1',

        GIT_CONFIG_GLOBAL: '/dev/null',
        GIT_TERMINAL_PROMPT: '0',
        GIT_OPTIONAL_LOCKS: '0',
        GIT_ADVICE: '0',
        HOME: '/tmp',
        ...configEnv(config),
        ...(egress !== undefined && {
          https_proxy: 'http://127.0.0.1:3128',
          GIT_SSL_CAINFO: '/etc/ssl/certs/ca-certificates.crt',
        }),
        ...(apart !== undefined && { GIT_INDEX_FILE: `${apartInside}/index` }),
        ...(apart !== undefined &&
          isWritable !== true && {
            GIT_OBJECT_DIRECTORY: `${apartInside}/objects`,
            GIT_ALTERNATE_OBJECT_DIRECTORIES: `${inside.work}/.git/objects`,
          }),
        ...(author && {
          GIT_AUTHOR_NAME: author.name,
          GIT_AUTHOR_EMAIL: author.email,
          GIT_COMMITTER_NAME: author.name,
          GIT_COMMITTER_EMAIL: author.email,
        }),
      },
      egress,
    }
    const [verb = '', ...rest] = args
    const program = [gitInside, '--no-pager', '--literal-pathspecs', verb, ...(ofSubmodules[verb] ?? []), ...rest]
    const started = startInCell(cell, limited(usualLimits, egress === undefined ? program : relayed(program)), starter)
    const [text, said] = [collector(), collector()]
    started.stdout.on('data', text.add)
    started.stderr.on('data', said.add)
    const stop = () => started.kill()
    signal.addEventListener('abort', stop)
    let isLate = false
    const late = clock.after(egress === undefined ? patienceMs : networkPatienceMs, () => {
      isLate = true
      started.kill()
    })
    const ended = await started.ended
    late()
    signal.removeEventListener('abort', stop)
    signal.throwIfAborted()
    if (ended.kind === 'not_started') throw new JarvisError('internal', `The sandbox did not start: ${ended.said}`)
    if (isLate)
      throw new JarvisError('outcome_unknown', 'Git took too long and was ended. What it began may be half done.')
    return { exitCode: ended.exitCode, text: text.text(), said: said.text(), isCut: text.isCut() }
  }

  async function filters(folder: string, signal: AbortSignal): Promise<string[]> {
    const asked = ['config', '--includes', '--name-only', '-z', '--get-regexp', '^filter\\.']
    const { text } = await run(folder, asked, { signal })
    const names = text.split('\0').flatMap((key) => /^filter\.([\s\S]+)\.\w+$/.exec(key)?.[1] ?? [])
    return [...new Set(names)]
  }

  return {
    async run(folder, args, options) {
      return run(folder, args, { ...options, filters: await filters(folder, options.signal) })
    },
    filters,
  }
}

/**
 * Environment variables with settings that override those of the repository. They allow any character in a name. @see git-config(1),
 * GIT_CONFIG_COUNT
 */
const configEnv = (config: readonly (readonly [string, string])[]): Record<string, string> =>
  Object.fromEntries([
    ['GIT_CONFIG_COUNT', String(config.length)],
    ...config.flatMap(([key, value], at) => [
      [`GIT_CONFIG_KEY_${at}`, key],
      [`GIT_CONFIG_VALUE_${at}`, value],
    ]),
  ])

function collector() {
  const chunks: Buffer[] = []
  let size = 0
  return {
    add(chunk: Buffer) {
      size += chunk.length
      if (size - chunk.length < mostBytes) chunks.push(chunk)
    },
    text: () => Buffer.concat(chunks).subarray(0, mostBytes).toString('utf8'),
    isCut: () => size > mostBytes,
  }
}

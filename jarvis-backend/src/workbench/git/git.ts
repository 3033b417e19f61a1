import { JarvisError } from 'protocol'
import type { Clock } from '../../lib/clock.ts'
import { relayBind, relayed } from '../egress/relay.ts'
import { type Cell, inside, limited, usualLimits } from '../sandbox/argv.ts'
import { type Starter, startInCell } from '../sandbox/start.ts'

const gitInside = '/usr/bin/git'
const apartInside = '/run/apart'
const patienceMs = 30_000
const networkPatienceMs = 120_000
/** Bytes of each stream that are kept. */
const mostBytes = 2 * 1024 ** 2

/**
 * What a repository may not decide: which programs run, who reads its output, what leads elsewhere. A filter is a program too, and is set
 * apart, because its name is the repository's own.
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
 * What keeps git from starting another git in a submodule, where the submodule's own programs would run. As options, because a repository
 * has settings for single submodules that count more than those above.
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
 * `egress`: the socket of a proxy that leads to the remote alone. `apart`: a folder of this machine for an index beside the repository's own, and
 * for new objects if the repository is not writable.
 */
export type GitOptions = {
  isWritable?: true
  egress?: string
  author?: { name: string; email: string }
  apart?: string
}
/** `text`: stdout. `said`: stderr. */
export type GitEnd = { exitCode: number; text: string; said: string; isCut: boolean }

/** Runs git on one repository, in the sandbox. The repository's own programs do not run. */
export type Git = {
  /**
   * @param folder of this machine, which holds `.git`. @param args after `git`
   * @throws JarvisError `unavailable` if no sandbox starts
   */
  run(folder: string, args: readonly string[], how: GitOptions & { signal: AbortSignal }): Promise<GitEnd>
  /** The programs that the repository names as filters, such as `lfs`. Git would run them at `status`, `add` and `switch`. */
  filters(folder: string, signal: AbortSignal): Promise<string[]>
}

/** @param clock the real one: programs take real time */
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

/** Settings that stand above those of the repository, whatever characters a name has. @see git-config(1), GIT_CONFIG_COUNT */
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

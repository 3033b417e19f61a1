import { existsSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { hashOf } from 'node-kit/canonical'
import { systemClock } from 'node-kit/clock'
import { JarvisError } from 'protocol'
import { nameReason } from 'ssh-grammar/secret-paths'
import { createStreamRedactor, placeOf, sessionRoot } from '../../gate/index.ts'
import { commandRoutes } from '../../http/commands.ts'
import { withPorts } from '../../tools/tool.ts'
import type { Applicable } from '../../tools/workbench/command-ports.ts'
import { commandTools } from '../../tools/workbench/commands.ts'
import { undoOf } from '../../tools/workbench/file-tool.ts'
import { openWay } from '../egress/proxy.ts'
import type { Reaching } from '../egress/reach.ts'
import { entryAt } from '../files/apply.ts'
import { mostBytes } from '../files/content-store.ts'
import { diffOf } from '../files/diff.ts'
import { type FileChange, isSame, shownPath } from '../files/entry.ts'
import { namedFiles } from '../files/named.ts'
import { rootName } from '../files/root-of.ts'
import { bytesOf, withFile, within } from '../files/walk.ts'
import type { Command } from '../sandbox/command.ts'
import { createCommandFiles } from '../sandbox/command-files.ts'
import { SandboxCommands } from '../sandbox/commands.ts'
import { createSandbox, landlockWords, offAt, unboundedWords } from '../sandbox/level.ts'
import type { Area, Bench } from './area.ts'

/**
 * The area for commands in the sandbox: `run_command` and its related tools.
 * @param reaching replaces the resolver and the check of IP addresses, for tests
 */
export function composeExec(bench: Bench, reaching: Reaching = {}): Area {
  const dir = join(bench.dataDir, 'sandbox')
  // The real clock, because programs take real time even if a test sets the server's clock.
  const sandbox = createSandbox(systemClock)
  const store = createCommandFiles(join(dir, 'commands'), bench.report)
  const placeIn = (shown: string) => placeOf(shown, bench.policy().roots)
  const commands = new SandboxCommands({
    clock: systemClock,
    dir,
    sandbox,
    store,
    redact: bench.redact,
    ownPaths: bench.ownPaths,
    redactStream: () => createStreamRedactor(bench.redactor),
    openWay: (allows) => openWay(allows, { isOwn: bench.isOwnPlace, ...reaching, scratch: bench.scratch }),
    keep: (bytes) => void bench.store.keep(bytes),
    discard: bench.discard,
    report: bench.report,
    allowsLandlock: () => bench.policy().landlock,
    tell: () => bench.activity.changed({ what: 'commands' }),
    isSecret,
  })

  const plans = new CommandPlans(bench)
  return {
    name: 'exec',
    routes: commandRoutes(commands),
    tools: withPorts(commandTools, {
      commands,
      sandbox,
      applicable: (command) => plans.applicable(command),
      folderOf(shown, sessionId) {
        const place = placeIn(shown)
        const { path } = bench.rootOf(rootName(place, sessionId))
        // The root's own path may contain a link. A path below the root may not.
        return join(realOf(path), place.path)
      },
      keep: (bytes) => void bench.store.keep(bytes),
      named(shown, command, sessionId) {
        const place = placeIn(shown)
        return namedFiles(bench.rootOf(rootName(place, sessionId)), {
          folder: place.path,
          command,
          isClosed: (path) => isSecret(`/${path}`),
          isWhole: place.root === sessionRoot,
        })
      },
      async apply(command, hash, { toolUseId, signal }) {
        const { changes } = plans.planOf(command)
        if (hashOf(changes) !== hash)
          throw new JarvisError(
            'conflict',
            'Something else changed these files just now. Nothing was changed: ask again.',
          )
        return bench.applier.apply(toolUseId, changes, signal)
      },
    }),
    missing() {
      const off = offAt(sandbox.verdict(), bench.policy().landlock)
      return off === undefined ? [] : [{ what: `a sandbox: ${off.because}`, remedy: off.remedy }]
    },
    facts() {
      const verdict = sandbox.verdict()
      if (verdict.level === 'full') return ['Sandbox: level full, by bubblewrap.', ...unboundedWords()]
      const said = verdict.said === '' ? '' : ` It said: ${verdict.said}`
      const level = `Sandbox: level ${verdict.level}, because ${verdict.because}.${said}`
      return verdict.level === 'none'
        ? [level]
        : [level, `Landlock’s version is ${verdict.abi}. ${landlockWords}`, ...unboundedWords()]
    },
    look: sandbox.tried,
    start() {
      if (bench.policy().exec) void sandbox.tried()
    },
    stop: () => commands.close(),
    forget: (sessionId) => commands.forget(sessionId),
  }
}

/** Calculates the file changes of commands, as they would be applied now. */
class CommandPlans {
  readonly #bench: Pick<Bench, 'policy' | 'rootOf' | 'store'>

  constructor(bench: Pick<Bench, 'policy' | 'rootOf' | 'store'>) {
    this.#bench = bench
  }

  /**
   * The changes of a command, with the present entry of each path as the old one. `moved`: paths that something else has changed since the command
   * ran.
   * @throws JarvisError `conflict` if the command still runs
   */
  planOf(command: Command): { changes: FileChange[]; moved: string[] } {
    if (command.state.kind === 'running') throw new JarvisError('conflict', `${command.id} still runs.`)
    const place = placeOf(command.folder, this.#bench.policy().roots)
    const root = rootName(place, command.sessionId)
    const moved: string[] = []
    const changes = command.state.changes.map((change): FileChange => {
      const path = place.path === '' ? change.path : `${place.path}/${change.path}`
      const now = entryAt(this.#bench.rootOf(root), path)
      if (!isSame(now, change.old) && !isSame(now, change.new)) moved.push(`${command.folder}/${change.path}`)
      return { root, path, old: isSame(now, change.new) ? change.old : now, new: change.new }
    })
    return { changes, moved }
  }

  async applicable(command: Command): Promise<Applicable> {
    const { changes, moved } = this.planOf(command)
    for (const change of changes) {
      this.#keepOld(change)
      // Other work of the process must not wait for many files.
      await setImmediate()
    }
    const undo = undoOf(changes, this.#bench.store, command.sessionId)
    return { hash: hashOf(changes), diff: diffOf(changes, this.#bench.store.read), moved, undo }
  }

  /** Stores the present bytes of a file, for the diff and the undo. */
  #keepOld({ root, path, old }: FileChange): void {
    if (old.kind !== 'file') return
    const shown = shownPath({ root, path })
    within(this.#bench.rootOf(root), path, (held) =>
      withFile(held, shown, (file) => {
        const bytes = bytesOf(file, mostBytes)
        if (bytes !== undefined) this.#bench.store.keep(bytes)
      }),
    )
  }
}

/** Returns true for files that appear empty to a command. */
const isSecret = (path: string) => /\/\.env(?:\.|$)/.test(path) || nameReason(path) !== undefined

const realOf = (path: string) => (existsSync(path) ? realpathSync(path) : path)

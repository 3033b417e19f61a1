import { mkdirSync, readdirSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { writeWhole } from 'node-kit/whole-file'
import { JarvisError } from 'protocol'
import { type StreamRedactor, safeText } from 'redaction/stream'
import { legible } from 'redaction/visible'
import { belowOf } from 'sandbox/below'
import { keptBytes, type Output } from 'sandbox/output'
import type { Pinned } from 'sandbox/pinned'
import { type Confined, type Rehearsed, type Rehearsing, rehearse, TooLarge } from 'sandbox/rehearse'
import { surveyOf } from 'sandbox/survey'
import type { Clock } from '../../lib/clock.ts'
import { hasRoomFor, noRoomForCommandWords } from '../../lib/disk-room.ts'
import { newId } from '../../lib/ids.ts'
import type { Allows, Way } from '../egress/proxy.ts'
import type { Command, CommandRecords, EndedCommand } from './command.ts'
import { offAt, type Sandbox } from './level.ts'
import { News } from './news.ts'
import type { Refusal } from './refusals.ts'

/**
 * A request to run a command. `folder`: the path on the host. `shown`: the same folder as `ROOT/PATH`. `egress`: the places (`host:port`) that it
 * may reach.
 */
export type Asked = {
  sessionId: string
  toolUseId?: string | undefined
  command: string
  folder: string
  shown: string
  egress: readonly string[]
  isBackground: boolean
  /** Files that a person saw on the card. The command finds them with exactly these bytes. */
  pinned?: readonly Pinned[] | undefined
}

export type CommandParts = {
  clock: Clock
  /** A folder for layers and logs that only JARVIS uses. */
  dir: string
  sandbox: Sandbox
  /** Tells if policy.yaml lets commands run at the sandbox's second level, which is confined by Landlock alone. */
  allowsLandlock(): boolean
  store: CommandRecords
  /** Stores the bytes of a changed file until the change may be applied. */
  keep(bytes: Buffer): void
  /** Removes a folder with its content. Never throws. */
  discard(path: string): void
  report(error: unknown, message: string): void
  openWay(allows: Allows): Promise<Way>
  redact(text: string): string
  redactStream(): StreamRedactor
  isSecret(path: string): boolean
  /** JARVIS's own files and folders, absolute. */
  ownPaths: readonly string[]
  /** Tells clients that there is more output since they last read it. */
  tell(): void
  /** Replaces bubblewrap, for tests. */
  bwrap?: string
}

type Live = { command: Command; rehearsing: Rehearsing; ended: Promise<Command> }

/** Longest time that a command may run, ms. */
export const longestMs = { foreground: 120_000, background: 30 * 60_000 }
export const mostInBackground = 4

/** The commands of all sessions. Each command runs once, on a view of its folder that is thrown away afterwards. */
export interface Commands {
  /** Begins a command. @throws JarvisError if the command cannot run; nothing has run then */
  begin(asked: Asked): Promise<Command>
  /** Waits for a command. Resolves when it has ended, or with its present state after `ms` or when the signal aborts. */
  wait(id: string, ms: number, signal: AbortSignal): Promise<Command | undefined>
  get(id: string): Command | undefined
  of(sessionId: string): Command[]
  /** Notes that somebody reads the session's commands now, so that one event tells them when there is more to read. */
  looked(sessionId: string): void
  /** The command's output, redacted: its first and last bytes, at most 100 kB. With `from`: `most` lines from that line on. */
  output(id: string, from?: { line: number; most: number }): Promise<string>
  /** The last lines that a running command has printed, redacted. */
  lastLines(id: string, most: number): string[]
  /** @returns false if the command takes no input */
  write(id: string, text: string): boolean
  /** @returns false if the command has ended */
  stop(id: string): boolean
  forget(sessionId: string): void
  /** Ends all commands. */
  close(): Promise<void>
}

/** Runs commands in this machine's sandbox. The constructor records the commands that ended together with the last process. */
export class SandboxCommands implements Commands {
  readonly #parts: CommandParts
  readonly #layers: string
  readonly #logs: string
  readonly #live = new Map<string, Live>()
  readonly #news: News

  constructor(parts: CommandParts) {
    this.#parts = parts
    this.#layers = join(parts.dir, 'layers')
    this.#logs = join(parts.dir, 'logs')
    this.#news = new News(parts.clock, parts.tell)
    recordLost(parts, this.#layers)
  }

  async begin(asked: Asked): Promise<Command> {
    const { clock, store } = this.#parts
    const startedAt = clock.now()
    const verdict = await this.#parts.sandbox.tried()
    const off = offAt(verdict, this.#parts.allowsLandlock())
    if (off !== undefined) throw refused(offWords(off))
    const confined: Confined =
      verdict.level === 'landlock' ? { level: 'landlock', abi: verdict.abi } : { level: 'full' }
    if (asked.isBackground && this.#inBackground() >= mostInBackground)
      throw refused(`${mostInBackground} commands run in the background already. Stop one of them.`)
    for (const dir of [this.#layers, this.#logs]) mkdirSync(dir, { recursive: true, mode: 0o700 })
    if (!hasRoomFor(this.#layers, 'toBegin')) throw refused(noRoomForCommandWords)
    const survey = surveyed(asked, this.#parts)
    const way =
      confined.level === 'full'
        ? await this.#parts.openWay((place) => (asked.egress.includes(place) ? 'public' : undefined))
        : undefined
    const command: Command = {
      id: newId('cmd'),
      sessionId: asked.sessionId,
      toolUseId: asked.toolUseId,
      command: this.#safe(asked.command),
      folder: asked.shown,
      level: confined.level,

      egress: [...asked.egress],
      isBackground: asked.isBackground,
      startedAt: clock.now(),
      state: { kind: 'running' },
    }
    store.put(command)
    const rehearsing = await this.#rehearsed(asked, { confined, survey, way, startedAt }, command.id)
    this.#follow(command, rehearsing, way)
    return command
  }

  async wait(id: string, ms: number, signal: AbortSignal): Promise<Command | undefined> {
    const { clock, store } = this.#parts
    const running = this.#live.get(id)
    if (running === undefined) return store.get(id)
    let cancel: () => void = () => undefined
    const late = new Promise<undefined>((resolve) => {
      const free = clock.after(ms, () => resolve(undefined))
      const aborted = () => resolve(undefined)
      signal.addEventListener('abort', aborted, { once: true })
      cancel = () => {
        free()
        signal.removeEventListener('abort', aborted)
      }
    })
    return (await Promise.race([running.ended, late]).finally(() => cancel())) ?? store.get(id)
  }

  get(id: string): Command | undefined {
    return this.#parts.store.get(id)
  }

  of(sessionId: string): Command[] {
    return this.#parts.store.of(sessionId)
  }

  looked(sessionId: string): void {
    this.#news.looked(sessionId)
  }

  async output(id: string, from?: { line: number; most: number }): Promise<string> {
    const running = this.#live.get(id)?.rehearsing.output
    if (running !== undefined && from === undefined) return this.#safe(running.text())
    if (from === undefined) return textOf(this.#shownOf(id)) ?? firstAndLast(textOf(this.#logOf(id)) ?? '')
    const log =
      running === undefined
        ? (textOf(this.#logOf(id)) ?? '')
        : await safeText(running.log(), this.#parts.redactStream())
    return log
      .split('\n')
      .slice(from.line, from.line + from.most)
      .join('\n')
  }

  lastLines(id: string, most: number): string[] {
    const running = this.#live.get(id)
    return running?.rehearsing.output.lastLines(most).map((line) => this.#shortLine(line)) ?? []
  }

  write(id: string, text: string): boolean {
    return this.#live.get(id)?.rehearsing.write(text) ?? false
  }

  stop(id: string): boolean {
    const running = this.#live.get(id)
    running?.rehearsing.stop()
    return running !== undefined
  }

  forget(sessionId: string): void {
    const { store } = this.#parts
    for (const { id } of store.of(sessionId)) {
      this.#live.get(id)?.rehearsing.stop()
      for (const path of [this.#logOf(id), this.#shownOf(id)]) rmSync(path, { force: true })
    }
    store.forget(sessionId)
    this.#news.forget(sessionId)
  }

  async close(): Promise<void> {
    this.#news.stop()
    for (const { rehearsing } of this.#live.values()) rehearsing.stop()
    await Promise.allSettled([...this.#live.values()].map(({ ended }) => ended))
  }

  #safe(text: string): string {
    return legible(this.#parts.redact(text))
  }

  #shortLine(line: string): string {
    return this.#safe(line).slice(0, 400)
  }

  #logOf(id: string): string {
    return join(this.#logs, `${id}.log`)
  }

  /** The output's first and last bytes, if the output is longer than these. */
  #shownOf(id: string): string {
    return join(this.#logs, `${id}.shown`)
  }

  #inBackground(): number {
    return [...this.#live.values()].filter(({ command }) => command.isBackground).length
  }

  /** Keeps a command in the list of running commands until it has ended. */
  #follow(command: Command, rehearsing: Rehearsing, way: Way | undefined): void {
    const { id, sessionId } = command
    const ended = rehearsing.ended
      .then((end) => this.#closed(command, end, { rehearsing, way }))
      .finally(async () => {
        this.#live.delete(id)
        this.#news.changed(sessionId)
        await way?.close()
      })
    this.#live.set(id, { command, rehearsing, ended })
    rehearsing.output.listen(() => this.#news.changed(sessionId))
    this.#news.changed(sessionId)
    ended.catch(() => undefined)
  }

  #rehearsed(
    { folder, command, isBackground, pinned }: Asked,
    {
      confined,
      survey,
      way,
      startedAt,
    }: Pick<Parameters<typeof rehearse>[1], 'confined' | 'survey' | 'startedAt'> & { way: Way | undefined },
    id: string,
  ): Promise<Rehearsing> {
    const timeoutMs = isBackground ? longestMs.background : longestMs.foreground
    const { clock, keep, discard, bwrap } = this.#parts
    return rehearse(
      id,
      {
        folder,
        command,
        confined,
        survey,
        timeoutMs,
        pinned,
        startedAt,
        below: belowOf(folder),
        ...(way !== undefined && { egress: way.socket }),
        ...(isBackground && { hasStdin: true }),
      },
      { clock, dir: this.#layers, keep, discard, hasRoom: (dir) => hasRoomFor(dir, 'toGoOn'), bwrap },
    ).catch(async (error) => {
      await way?.close()
      if (error instanceof TooLarge)
        throw refused(
          'This machine can only run it on a copy, and the folder holds more than 200 MB. Name a smaller folder.',
        )
      throw error
    })
  }

  async #keepOutput(id: string, output: Output): Promise<void> {
    const log = await safeText(output.log(), this.#parts.redactStream())
    const unlogged = output.bytes() - keptBytes.log
    writeWhole(this.#logOf(id), unlogged > 0 ? log + lostOutput(unlogged) : log)
    if (output.bytes() > keptBytes.head + keptBytes.tail) writeWhole(this.#shownOf(id), this.#safe(output.text()))
  }

  /** Records the end of a command. @throws JarvisError if the sandbox did not start */
  async #closed(
    command: Command,
    end: Rehearsed,
    { rehearsing: { output }, way }: { rehearsing: Rehearsing; way: Way | undefined },
  ): Promise<Command> {
    const { store, clock } = this.#parts
    if (end.kind === 'not_started') {
      const off = offAt(await this.#parts.sandbox.tryAgain(), this.#parts.allowsLandlock())
      store.put({ ...command, state: lost(clock.now()) })
      throw refused(off === undefined ? `The sandbox did not start: ${this.#safe(end.said)}` : offWords(off))
    }
    await this.#keepOutput(command.id, output)
    const asked = way?.contacts().flatMap(({ place, refused: why }) => (why === undefined ? [] : [place])) ?? []
    const { exitCode, why, effect } = end
    const state: EndedCommand = {
      kind: 'ended',
      endedAt: clock.now(),
      exitCode,
      why,
      lastLines: output.lastLines(8).map((line) => this.#shortLine(line)),
      asked,
      way: end.way,
      changes: effect.changes,
      refused: effect.refused,
    }
    const done = { ...command, state }
    store.put(done)
    return done
  }
}

const lostOutput = (bytes: number) => `\n… ${bytes} bytes more were printed; the log holds the first 5 MB …\n`

const refused = (message: string) => new JarvisError('forbidden', message)

const offWords = ({ because, remedy }: Refusal) => `No command runs here: ${because}. ${remedy}`

const lost = (endedAt: number): EndedCommand => ({
  kind: 'ended',
  endedAt,
  exitCode: 137,
  why: 'jarvis',
  way: 'overlay',
  lastLines: [],
  changes: [],
  refused: [],
  asked: [],
})

/**
 * Records the commands that ended together with the last process, because the kernel ends a sandbox when its parent ends. They are never started
 * again.
 */
function recordLost({ store, clock, discard, report }: CommandParts, layers: string): void {
  for (const command of store.running()) {
    try {
      store.put({ ...command, state: lost(clock.now()) })
    } catch (error) {
      report(error, `the end of ${command.id} could not be recorded; the next start tries again`)
    }
  }
  for (const name of namesIn(layers)) discard(join(layers, name))
}

function namesIn(dir: string): string[] {
  try {
    return readdirSync(dir)
  } catch {
    return []
  }
}

/** Surveys the folder of a command. @throws JarvisError if the folder may not be given to a command */
function surveyed({ folder, shown }: Asked, { ownPaths, isSecret }: CommandParts) {
  let real: string
  try {
    real = realpathSync(folder)
  } catch {
    throw new JarvisError('not_found', `${shown} is not there.`)
  }
  if (real !== folder) throw refused(`${shown} goes through a link. Name the folder that it leads to.`)
  if (ownPaths.some((own) => own.startsWith(`${folder}/`)))
    throw refused(`${shown} holds JARVIS’s own files. Name a folder beside them.`)
  const survey = surveyOf(folder, (path) => isSecret(path.slice(folder.length)))
  if (survey === undefined)
    throw refused(
      `${shown} holds more than 20,000 files and folders, or 100 folders in each other. Name a smaller folder.`,
    )
  return survey
}

/** A log without its middle part, for logs of versions that kept no shown part. */
function firstAndLast(log: string): string {
  const { head, tail } = keptBytes
  if (log.length <= head + tail) return log
  const [first, last] = [log.slice(0, head).toWellFormed(), log.slice(-tail).toWellFormed()]
  return `${first}\n… ${log.length - head - tail} characters left out …\n${last}`
}

/** Returns a file's text; undefined if the file cannot be read. */
function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}

import type { CommandOptions, CommandOutput, Shell } from 'homelab-ports/ports'
import { type Part, readingOf, type Stages, searchedLines } from 'ssh-grammar/judge-command'

/** Bytes that are kept from the start and from the end of one file, for the filters. */
const readBytes = 4 * 1024 * 1024
/** Limits of one recursive search. */
const searched = { files: 40, characters: 8_000_000 }

const searchNote = `Files that may hold secrets were not searched. Of each other file the last ${searchedLines.toLocaleString('en')} lines were searched.`

export type CarriedOut = CommandOutput & { notes: string[] }

/**
 * Runs a command that was judged as read-only. Secrets are redacted before a filter reads the text. `notes`: facts about the result that a person
 * must know, such as files that were not searched.
 * @param shell redacts its output. @throws as `shell.run` does
 */
export async function carryOut(
  shell: Shell,
  { node, stages }: { node: string; stages: Stages },
  options: CommandOptions,
): Promise<CarriedOut> {
  const reading = readingOf(stages)
  if (reading.kind === 'whole') return { ...(await shell.run(node, reading.stages, options)), notes: [] }
  const notes: string[] = []
  if (reading.kind === 'parts' && reading.note !== undefined) notes.push(reading.note)
  const parts = reading.kind === 'parts' ? reading.parts : await found(reading)
  if ('stdout' in parts) return { ...parts, notes }

  const outputs: CommandOutput[] = []
  let room = searched.characters
  for (const [index, part] of parts.entries()) {
    const { output, length } = await look(part, parts.length === 1 ? reading.then : [], index)
    outputs.push(output)
    room -= length
    if (reading.kind === 'search' && room < 0 && index < parts.length - 1) {
      notes.push(`${parts.length - 1 - index} more files that match were not searched; name them.`)
      break
    }
  }
  const together = joined(outputs, reading.kind === 'search' || /grep$/.test(stages[0]?.[0] ?? ''))
  if (parts.length === 1 || reading.then.length === 0) return { ...together, notes }
  const last = await shell.run(node, reading.then, { ...options, input: together.stdout })
  return { ...together, ...last, stderr: together.stderr + last.stderr, notes }

  async function look({ read, filter, name, program, mask }: Part, then: Stages, index: number) {
    const before = await shell.run(node, [[...read]], { ...options, keepBytes: readBytes })
    const stderr = before.stderr.replace(new RegExp(`^(?:${read[0]}|gzip)(?=: )`, 'gm'), program)
    const unread = before.leftOutBytes === undefined ? {} : { unreadBytes: before.leftOutBytes }
    const isUnreadable = before.stdout === '' && before.exitCode !== 0
    if (isUnreadable && then.length === 0) {
      const exitCode = /grep$/.test(program) ? 2 : before.exitCode
      return { output: { ...before, stderr, exitCode }, length: 0 }
    }
    const after = await shell.run(node, [[...filter], ...then], {
      ...options,
      input: mask?.(before.stdout) ?? before.stdout,
    })
    const heading = after.stdout.startsWith('==> standard input <==\n')
    const stdout = heading ? after.stdout.replace('==> standard input <==', () => `==> ${name} <==`) : after.stdout
    const output: CommandOutput = {
      ...after,
      ...unread,
      ...(before.signal !== undefined && { signal: before.signal, exitCode: before.exitCode }),
      stdout: heading && index > 0 ? `\n${stdout}` : stdout,
      stderr: stderr + after.stderr,
    }
    return { output, length: before.stdout.length }
  }

  /** Returns the files that a recursive search finds, or the search's error if it finds none. */
  async function found({ list, partOf }: Extract<typeof reading, { kind: 'search' }>) {
    // The shell puts a blank in place of the NUL after each name. A name may contain blanks, so a new path starts only at a blank before a `/`.
    const listed = await shell.run(node, [[...list]], { ...options, keepBytes: readBytes })
    const paths = listed.stdout.split(/ (?=\/)/).flatMap((path) => path.replace(/ $/, '') || [])
    // The answer must not tell if a withheld file matches, because repeated guesses would reveal a secret.
    notes.push(searchNote)
    if (paths.length === 0) return listed
    const all = paths.flatMap((path) => partOf(path) ?? [])
    if (all.length > searched.files) notes.push(`More than ${searched.files} files match; the rest was not searched.`)
    return all.slice(0, searched.files)
  }
}

/** @param isSearch true: the joined search has found something if one of its parts has */
function joined(outputs: readonly CommandOutput[], isSearch: boolean): CommandOutput {
  const codes = outputs.map(({ exitCode }) => exitCode)
  const sum = (of: (output: CommandOutput) => number | undefined) =>
    outputs.reduce((total, output) => total + (of(output) ?? 0), 0)
  const leftOutBytes = sum((output) => output.leftOutBytes)
  const unreadBytes = sum((output) => output.unreadBytes)
  const signal = outputs.find((output) => output.signal !== undefined)?.signal
  return {
    stdout: outputs.map(({ stdout }) => stdout).join(''),
    stderr: outputs.map(({ stderr }) => stderr).join(''),
    exitCode: outputs.length === 0 ? 1 : isSearch ? Math.min(...codes) : Math.max(...codes),
    truncated: outputs.some(({ truncated }) => truncated),
    ...(leftOutBytes > 0 && { leftOutBytes }),
    ...(unreadBytes > 0 && { unreadBytes }),
    signal,
  }
}

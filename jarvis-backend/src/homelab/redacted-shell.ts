import { setImmediate } from 'node:timers/promises'
import type { CommandOptions, CommandOutput, Shell } from 'homelab-ports/ports'

export type ShellRedactor = {
  value<T>(value: T): T
  /** Returns the value without secrets. Works in steps, so that other work can run meanwhile. */
  later<T>(value: T): Promise<T>
  /** Redacts a text that comes in pieces: each `push` returns the part that can be shown by then, `flush` the rest. */
  stream(): { push(piece: string): string; flush(): string }
}

/** Bytes kept of the start, and as many of the end, of the first program's output in a pipe; enough for a log of some days. */
const readBytes = 4 * 1024 * 1024
/** Characters redacted at a time; about 5 ms. */
const pieceLength = 16_384

/**
 * A shell whose output has no secrets. A program that splits text (`fold`, `tr`, `grep -o`) could print a secret in unrecognisable
 * pieces. So the first program of a pipe runs alone, and the others read its redacted output.
 */
export function redactedShell(shell: Shell, redact: ShellRedactor): Shell {
  return { ...shell, run }

  async function run(
    node: string,
    stages: readonly (readonly string[])[],
    options: CommandOptions,
  ): Promise<CommandOutput> {
    const [first = []] = stages
    const isJson =
      first[0] === 'journalctl' && first.some((word) => word.includes('json')) && options.input === undefined
    if (stages.length < 2 || options.input !== undefined) {
      return clean(await shell.run(node, stages, options), isJson)
    }
    const read = await clean(await shell.run(node, stages.slice(0, 1), { ...options, keepBytes: readBytes }), isJson)
    const output = await clean(await shell.run(node, stages.slice(1), { ...options, input: read.stdout }))
    return {
      ...output,
      stderr: read.stderr + output.stderr,
      ...(read.leftOutBytes !== undefined && { unreadBytes: read.leftOutBytes }),
      // A pipe whose first program was cut short must not be reported as successful.
      ...(read.signal !== undefined && { signal: read.signal, exitCode: read.exitCode }),
    }
  }

  async function clean(output: CommandOutput, isJson = false): Promise<CommandOutput> {
    const said = isJson ? output.stdout.replace(byteList, textOf) : output.stdout
    const [stdout, stderr] = [await redactedText(said, redact), await redactedText(output.stderr, redact)]
    return { ...output, stdout, stderr }
  }
}

/** Matches terminal escape sequences. They are removed first, because they could hide a secret from the redaction. */
const escapes = new RegExp(`${String.fromCharCode(27)}\\[[0-9;?]*[ -/]*[@-~]`, 'g')

/**
 * Matches a list of bytes in JSON. The systemd journal writes a text with control characters in this form, in which the redaction would not find a
 * secret.
 */
const byteList = /(?<=(?<!\\)"\s?:\s?)\[\s{0,20}\d{1,3}(?:\s{0,20},\s{0,20}\d{1,3})*\s{0,20}\]/g
function textOf(list: string): string {
  const bytes = list.match(/\d+/g)?.map(Number) ?? []
  if (bytes.some((byte) => byte > 255)) return list
  return JSON.stringify(Buffer.from(bytes).toString().replace(escapes, ''))
}

/** Removes secrets and escape sequences from a text. Replaces NUL by a space, because NUL separates the words in `/proc/PID/cmdline`. */
export async function redactedText(text: string, redact: ShellRedactor): Promise<string> {
  const plain = text.replace(escapes, '').replaceAll('\0', ' ')
  if (plain.length <= pieceLength) return redact.value(plain)
  const stream = redact.stream()
  let safe = ''
  for (let at = 0; at < plain.length; at += pieceLength) {
    safe += stream.push(plain.slice(at, at + pieceLength))
    await setImmediate()
  }
  return safe + stream.flush()
}

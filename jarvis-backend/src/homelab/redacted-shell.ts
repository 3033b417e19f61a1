import { setImmediate } from 'node:timers/promises'
import type { CommandOptions, CommandOutput, Shell } from './ports.ts'

export type ShellRedactor = {
  value<T>(value: T): T
  /** For one text that comes in pieces: each `push` gives what may be shown of it by then, `flush` the rest. */
  stream(): { push(piece: string): string; flush(): string }
}

/** Of what is read for others to look at, bytes that are kept from the start and from the end: a log of some days. */
const readBytes = 4 * 1024 * 1024
/** Characters that are looked at in one go: some 5 ms. */
const pieceLength = 16_384

/**
 * A shell without secrets in what it says. A program that takes text apart (`fold`, `tr`, `grep -o`) would hand a secret
 * out in pieces that look like none. So of a pipe the first program runs alone, and the others read what is left of its
 * output without the secrets.
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
      // What was cut short is not said to have ended well.
      ...(read.signal !== undefined && { signal: read.signal, exitCode: read.exitCode }),
    }
  }

  async function clean(output: CommandOutput, isJson = false): Promise<CommandOutput> {
    const said = isJson ? output.stdout.replace(byteList, textOf) : output.stdout
    const [stdout, stderr] = [await redactedText(said, redact), await redactedText(output.stderr, redact)]
    return { ...output, stdout, stderr }
  }
}

/** Colours, which would hide a secret from whoever looks for one. */
const escapes = new RegExp(`${String.fromCharCode(27)}\\[[0-9;?]*[ -/]*[@-~]`, 'g')

/** As JSON the journal gives a text with a control character in it as a list of its bytes, in which nobody sees a secret. */
const byteList = /(?<=(?<!\\)"\s?:\s?)\[\s{0,20}\d{1,3}(?:\s{0,20},\s{0,20}\d{1,3})*\s{0,20}\]/g
function textOf(list: string): string {
  const bytes = list.match(/\d+/g)?.map(Number) ?? []
  if (bytes.some((byte) => byte > 255)) return list
  return JSON.stringify(Buffer.from(bytes).toString().replace(escapes, ''))
}

/** Without secrets and escape sequences, and with a blank for a NUL, which parts the words in `/proc/PID/cmdline`. */
async function redactedText(text: string, redact: ShellRedactor): Promise<string> {
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

import type { ToolInput } from 'protocol'
import { unfitInput } from '../lib/depth.ts'

/**
 * A message that calls a tool directly: `/stop_vm vmid=101`, `/run hot-node node=pve`, `/execute_ssh node=pve command="df -h"`, `/x set={"a": 1}`.
 */
export type Command =
  | { ok: true; toolName: string; toolInput: ToolInput }
  | { ok: false; toolName: string; problem: string }

/** Matches one `key=value`. Typographic quotes are accepted, because phone keyboards insert them. */
const argument = /([A-Za-z_]\w*)=(?:"((?:[^"\\]|\\.)*)"|[“„”]([^“„”]*)[“”]|'([^']*)'|(?!['“„”])([^\s"]*))(?=\s|$)\s*/y

/** @returns the command in a message; undefined if the message is for the model */
export function parseCommand(message: string): Command | undefined {
  const head = /^\/([A-Za-z_][\w-]*)(?:[ \t]+|$)/.exec(message.trim())
  if (head === null || message.trim().includes('\n')) return undefined
  const [, toolName = ''] = head
  let [whole] = head
  const rest = message.trim()
  // `/run hot-node node=pve` starts the runbook `hot-node` with the input `node`.
  const runbook = toolName === 'run' ? /^\/run[ \t]+([a-z0-9][a-z0-9-]*)(?:[ \t]+|$)/.exec(rest) : null
  if (runbook !== null) [whole] = runbook
  const toolInput: ToolInput = Object.create(null)
  argument.lastIndex = whole.length
  while (argument.lastIndex < rest.length) {
    const at = argument.lastIndex
    const json = jsonAt(rest, at)
    if (json !== undefined) {
      if (Object.hasOwn(toolInput, json.key)) return { ok: false, toolName, problem: `${json.key} is given twice.` }
      toolInput[json.key] = json.value
      argument.lastIndex = json.end
      continue
    }
    const found = argument.exec(rest)
    if (found === null) {
      return {
        ok: false,
        toolName,
        problem: `Not understood from ${JSON.stringify(rest.slice(at, at + 40))} on. Write /${toolName} key=value key="quoted value".`,
      }
    }
    const [, key = '', quoted, curly, single, bare = ''] = found
    if (Object.hasOwn(toolInput, key)) return { ok: false, toolName, problem: `${key} is given twice.` }
    toolInput[key] = quoted?.replace(/\\(["\\])/g, '$1') ?? curly ?? single ?? plainValue(bare)
  }
  const unfit = unfitInput(toolInput)
  if (unfit !== undefined) return { ok: false, toolName, problem: `The arguments are ${unfit}.` }
  if (runbook !== null)
    return { ok: true, toolName: 'run_runbook', toolInput: { name: runbook[1] ?? '', inputs: { ...toolInput } } }
  return { ok: true, toolName, toolInput: { ...toolInput } }
}

const beforeJson = /([A-Za-z_]\w*)=(?=[{[])/y
const mostEnds = 200

/** Parses an argument whose value is JSON, such as `set={"cores": 4}`. @returns undefined if no such argument begins at `at` */
function jsonAt(text: string, at: number): { key: string; value: unknown; end: number } | undefined {
  beforeJson.lastIndex = at
  const [head, key] = beforeJson.exec(text) ?? []
  if (head === undefined || key === undefined) return undefined
  const ends = /[}\]](?=\s|$)\s*/g
  ends.lastIndex = at
  for (let tries = 0; tries < mostEnds; tries += 1) {
    if (ends.exec(text) === null) return undefined
    try {
      return { key, value: JSON.parse(text.slice(at + head.length, ends.lastIndex)), end: ends.lastIndex }
    } catch {
      // Not complete JSON yet: the value ends at a later brace or bracket.
    }
  }
  return undefined
}

/**
 * Converts an unquoted value: numbers and booleans get their type, everything else stays text. If a tool’s schema wants text, it accepts a number
 * such as 2024 as text too.
 */
function plainValue(text: string): unknown {
  if (text === 'true') return true
  if (text === 'false') return false
  return /^-?\d{1,15}(?:\.\d{1,15})?$/.test(text) && String(Number(text)) === text ? Number(text) : text
}

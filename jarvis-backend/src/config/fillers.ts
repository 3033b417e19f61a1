import { readEnvFile, settingsPath } from './env-file.ts'
import { placeholder } from './placeholder.ts'
import { openerOf, type Sealing } from './sealing.ts'
import { settings } from './settings.ts'

/** Returns the value for a `${…}` of `mcp.json`, by the variable's name. @throws Error with the reason why there is none, and the remedy */
export type Fill = (name: string) => string

/** The variable that holds the value of VS Code's `${input:ID}`. */
export const inputVariable = (id: string): string => `MCP_INPUT_${id.toUpperCase().replace(/[^A-Z0-9]+/g, '_')}`

/**
 * Fills values from the environment, and then from the saved settings, which are sealed. JARVIS's own variables are never filled in, because a
 * person who may write the file could send JARVIS's secrets away.
 */
export function createFill(of: Sealing & { variables?: Readonly<Record<string, string>> }): Fill {
  return (name) => {
    if (settings.isOwn(name))
      throw new Error(
        `${name} is a setting of JARVIS’s own and is given to no server. Save the value under another name`,
      )
    const value = of.variables?.[name] ?? saved(of, name)
    if (value === undefined)
      throw new Error(
        `${name} has no value. Put ${name}=… into settings.env of the data dir, or into JARVIS’s environment`,
      )
    return value
  }
}

function saved(of: Sealing, name: string): string | undefined {
  const text = readEnvFile(settingsPath(of.dataDir))[name]
  return text === undefined || text === '' ? undefined : openerOf(of)(`settings.env/${name}`, text)
}

/** A variable that a text asks for, with its default: `${NAME}`, `${env:NAME}`, `${NAME:-default}`, `${input:ID}`. */
type Asked = { name: string; fallback?: string | undefined; isInput: boolean }
function askedIn(inner: string): Asked | string {
  const [, input] = /^input:(.+)$/.exec(inner) ?? []
  if (input !== undefined) return { name: input, isInput: true }
  const [, name, fallback] = /^(?:env:)?([A-Za-z_]\w*)(?::-(.*))?$/s.exec(inner) ?? []
  if (name === 'userHome') return { name: 'HOME', isInput: false }
  return name === undefined
    ? `\${${inner}} cannot be filled here. Write the value in its place`
    : { name, fallback, isInput: false }
}

/**
 * Fills every `${…}` of a text. @param inputs defaults of VS Code's inputs @returns the text, the filled values, and the missing values, a sentence
 * each without its full stop
 */
export function filled(
  text: string,
  fill: Fill,
  inputs: ReadonlyMap<string, { text: string }> = new Map(),
): { text: string; values: { name: string; value: string }[]; missing: string[] } {
  const values: { name: string; value: string }[] = []
  const missing: string[] = []
  const result = text.replace(placeholder, (whole, inner: string) => {
    const asked = askedIn(inner)
    if (typeof asked === 'string') {
      missing.push(asked)
      return whole
    }
    const variable = asked.isInput ? inputVariable(asked.name) : asked.name
    const fallback = asked.isInput ? inputs.get(asked.name)?.text : asked.fallback
    try {
      const value = fill(variable)
      values.push({ name: variable, value })
      return value
    } catch (error) {
      if (fallback !== undefined && !settings.isOwn(variable)) {
        if (asked.isInput) values.push({ name: variable, value: fallback })
        return fallback
      }
      const why = error instanceof Error ? error.message.replace(/\.$/, '') : String(error)
      missing.push(asked.isInput ? `${whole} is asked for nowhere: ${why}` : why)
      return whole
    }
  })
  return { text: result, values, missing }
}

import { parseYaml, type YamlProblem } from '../../lib/strict-yaml.ts'
import { crossProblems } from './cross.ts'
import { PolicyFile } from './schema.ts'
import type { Tools } from './shipped.ts'

export type ParsedPolicy = { ok: true; file: PolicyFile } | { ok: false; problems: YamlProblem[] }

/** Parses policy.yaml. Reports all problems, in the order of lines. Never throws. @param tools the shipped tools */
export function parsePolicy(text: string, tools: Tools): ParsedPolicy {
  const read = parseYaml(text, PolicyFile, (given) => crossProblems(given, tools))
  return read.ok ? { ok: true, file: read.value } : read
}

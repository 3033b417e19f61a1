import { readdirSync, statSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** Code that promises rest on, and the pure tests that must notice each change of it. Folders mean all files in them. */
const table = {
  gate: {
    code: ['src/gate/'],
    tests: [
      ...['src/gate/', 'src/calls/active-policy.test.ts', 'src/calls/keys.test.ts'],
      ...['test/gate-inputs.test.ts', 'test/agents-gate.test.ts', 'test/plan-judged.test.ts'],
    ],
  },
  states: { code: ['src/calls/states.ts'], tests: ['src/calls/states.test.ts'] },
  'next-step': { code: ['src/agent/next-step.ts'], tests: ['src/agent/next-step.test.ts'] },
  redaction: {
    code: ['../packages/redaction/src/'],
    tests: ['../packages/redaction/src/', 'test/redact.test.ts', 'test/redaction.test.ts'],
  },
  'ssh-grammar': {
    code: ['../packages/ssh-grammar/src/'],
    tests: ['../packages/ssh-grammar/src/', 'test/judge-command.test.ts', 'test/ssh-secrets.test.ts'],
  },
} satisfies Record<string, { code: string[]; tests: string[] }>

export type TargetName = keyof typeof table
export const targetNames = Object.keys(table) as TargetName[]
export const isTarget = (name: string): name is TargetName => Object.hasOwn(table, name)

/** The absolute paths of a target's files of code and of its files of tests. */
export function filesOf(name: TargetName): { code: string[]; tests: string[] } {
  const { code, tests } = table[name]
  const isTest = (path: string) => path.endsWith('.test.ts')
  return {
    code: code.flatMap(all).filter((path) => !isTest(path) && !path.endsWith('.fixture.ts')),
    tests: tests.flatMap(all).filter(isTest),
  }
}

function all(path: string): string[] {
  const full = fileURLToPath(new URL(`../../${path}`, import.meta.url))
  if (!statSync(full).isDirectory()) return [full]
  return (readdirSync(full, { recursive: true }) as string[])
    .filter((name) => name.endsWith('.ts'))
    .sort()
    .map((name) => full + name)
}

import { expect, test } from 'vitest'
import { parseAgents, withAgent } from './file.ts'

const known = { tools: ['get_vms', 'get_storage', 'stop_vm'], models: ['demo', 'openai/qwen3:14b'] }
const problemsOf = (text: string) => {
  const parsed = parseAgents(text, known)
  return parsed.ok ? [] : parsed.problems.map(({ line, message }) => `${line}: ${message}`)
}

test('a file without agents has main alone', () => {
  for (const text of ['', 'agents: {}\n', 'agents:\n']) {
    const parsed = parseAgents(text, known)
    expect(parsed.ok && parsed.agents.map(({ id, ceiling, memory }) => [id, ceiling, memory])).toEqual([
      ['main', 'red', 'shared'],
    ])
  }
})

test('an agent has what stands there, and the narrower of what does not', () => {
  const parsed = parseAgents(
    'agents:\n  media:\n    ceiling: yellow\n    tools: { allow: [get_*] }\n    model: openai/qwen3:14b\n',
    known,
  )
  expect(parsed.ok && parsed.agents[1]).toMatchObject({ id: 'media', name: 'media', memory: 'own', ceiling: 'yellow' })
})

test.each([
  [
    'agents:\n  media:\n    tools: { allow: [get_vm] }\n',
    '3: agents.media.tools.allow[1] names no tool: "get_vm"; the nearest is get_vms.',
  ],
  [
    'agents:\n  media:\n    tools:\n      deny: [backup_*]\n',
    '4: agents.media.tools.deny[1] names no tool: "backup_*".',
  ],
  [
    'agents:\n  media:\n    ceilling: green\n',
    '3: agents.media.ceilling is not known here; the nearest is ceiling. Known: ',
  ],
  ['agent:\n  media: {}\n', '1: agent is not known here; the nearest is agents. Known: agents.'],
  [
    'agents:\n  media:\n    model: openai/qwen3:14c\n',
    '3: agents.media.model is not configured: "openai/qwen3:14c"; the nearest is openai/qwen3:14b. There are: demo, openai/qwen3:14b.',
  ],
  [
    'agents:\n  media:\n    bindings:\n      - { door: dashbord }\n',
    '4: agents.media.bindings[1].door is dashboard, mcp, job, channel or v1.',
  ],
  [
    'agents:\n  media:\n    bindings:\n      - { door: mcp, tokn: ops }\n',
    '4: agents.media.bindings[1].tokn is not known here; the nearest is token.',
  ],
  [
    'agents:\n  media:\n    budget:\n      run: { token: 5 }\n',
    '4: agents.media.budget.run.token is not known here; the nearest is tokens.',
  ],
  ['agents:\n  main:\n    ceiling: green\n', '3: agents.main.ceiling is not for main'],
  ['agents:\n  Media: {}\n', '2: '],
  ['agents:\n  media:\n    temperature: 3\n', '3: agents.media.temperature is 0 to 2.'],
  ['agents:\n  media:\n    maxTokens: 10\n', '3: agents.media.maxTokens is 256 or more.'],
])('%j is refused by its line', (text, problem) => {
  expect(problemsOf(text).join('\n')).toContain(problem)
})

test('a tool that only an attached server can have is a warning, not an error', () => {
  const parsed = parseAgents('agents:\n  media:\n    tools: { allow: [grafana__query] }\n', known)
  expect(parsed.ok && parsed.warnings).toEqual([
    'media names grafana__query, and no attached server has such a tool now.',
  ])
})

test('writing an agent keeps comments and the others, and what is written is read again', () => {
  const before = '# mine\nagents:\n  # the films\n  media: { ceiling: green }\n'
  const made = withAgent(before, 'coder', { about: 'Reads logs.', tools: { allow: ['get_vms'] } })
  expect(made).toContain('# the films')
  const parsed = parseAgents(made, known)
  expect(parsed.ok && parsed.agents.map(({ id }) => id)).toEqual(['main', 'media', 'coder'])
  const gone = parseAgents(withAgent(made, 'media', undefined), known)
  expect(gone.ok && gone.agents.map(({ id }) => id)).toEqual(['main', 'coder'])
  expect(parseAgents(withAgent('', 'one', {}), known)).toMatchObject({ ok: true })
})

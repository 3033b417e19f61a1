import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { AgentClassifyReply, ClassifyReply } from 'protocol'
import { expect, test } from 'vitest'
import { rootFolder } from './support/data-dir.ts'
import { as, household, householdPolicy } from './support/persons.ts'

const secret = 'glpat-Ab3dEf6hIj9kLm2nOp5q'
/** Refused with the file's own hash, which only a read of the file can tell. */
const editing = { path: 'lab/a.txt', hash: '0'.repeat(16), edits: [{ oldText: 'x', newText: 'y' }] }
const writing = { path: 'lab/new.txt', content: 'x\n' }
const plan = {
  goal: 'Look.',
  steps: [
    { id: 'file', tool: 'read_file', input: { path: 'lab/a.txt' } },
    { id: 'guests', tool: 'get_vms', input: {} },
  ],
}

test('a verdict is that of whoever asks for it, and reads nothing for somebody who could not ask for the call', async () => {
  const root = rootFolder()
  writeFileSync(join(root, 'a.txt'), `token = ${secret}\n`)
  const policy = `${householdPolicy}workbench: {roots: [{name: lab, path: ${root}, write: true}]}\n`
  const { jarvis, program } = await household({ policy })
  const post = async (path: string, json: object, who: object): Promise<unknown> =>
    (await jarvis.rest(path, { method: 'POST', json, ...who })).json()
  const classify = (name: string, input: object, who: object) =>
    post(`/api/tools/${name}/classify`, { input }, who) as Promise<ClassifyReply>
  const classifyFor = (toolName: string, toolInput: object, who: object) =>
    post('/api/agents/main/classify', { toolName, toolInput }, who) as Promise<AgentClassifyReply>
  const reads = async () =>
    JSON.stringify(await (await jarvis.rest('/api/journal?limit=200')).json()).split('read_file').length
  const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } })
  const [operator, asking] = [as('per_operator'), bearer(program('per_owner', 'ask'))]
  const preview = expect.anything()

  expect(await classify('edit_file', editing, operator)).toMatchObject({
    reason: expect.stringMatching(/ it is [\da-f]/),
  })
  for (const who of [operator, asking])
    expect(await classify('write_file', writing, who)).toMatchObject({ tier: 'red', preview })
  const named = await Promise.all([
    classify('write_file', { ...writing, path: `lab/${secret}` }, operator),
    classify('no_tool', { [secret]: secret }, operator),
    classifyFor(secret, {}, operator),
    post('/api/roles/try', { role: 'viewer', toolName: secret, toolInput: {} }, operator),
  ])
  expect(JSON.stringify(named)).toContain('There is no tool')
  expect(JSON.stringify(named)).not.toContain(secret)

  const before = await reads()
  // The owner's own preview of the last minute is there, and is not theirs.
  for (const who of [as('per_viewer'), bearer(program('per_owner', 'read'))]) {
    const refused = [
      await classify('edit_file', editing, who),
      await classify('write_file', writing, who),
      ...Object.values(await classifyFor('edit_file', editing, who)),
    ]
    // A plan is judged by its steps, and is told to be open here.
    const open = [
      await classify('propose_plan', plan, who),
      ...Object.values(await classifyFor('propose_plan', plan, who)),
    ]
    for (const reply of refused) expect(reply).toMatchObject({ tier: 'black', rule: 'not_yours' })
    for (const reply of open) expect(reply).toMatchObject({ reason: expect.stringContaining('Nothing was read') })
    for (const reply of [...refused, ...open]) expect(reply).not.toHaveProperty('preview')
    expect(await classify('read_file', { path: 'lab/a.txt' }, who)).toMatchObject({ tier: 'green' })
  }
  const tried = await post('/api/roles/try', { role: 'owner', toolName: 'propose_plan', toolInput: plan }, operator)
  expect(tried).toMatchObject({ verdict: 'runs', because: expect.stringContaining('Nothing was read') })
  const stops = {
    goal: 'x',
    steps: ['get_vms', 'stop_vm'].map((tool) => ({ id: tool, tool, input: tool === 'stop_vm' ? { vmid: 103 } : {} })),
  }
  expect(
    await post('/api/roles/try', { role: 'owner', toolName: 'propose_plan', toolInput: stops }, operator),
  ).toMatchObject({
    verdict: 'asks',
    steps: [
      { number: 1, toolName: 'get_vms', verdict: 'runs' },
      { number: 2, toolName: 'stop_vm', verdict: 'asks' },
    ],
  })
  expect(await reads()).toBe(before)

  const made = await classify('propose_plan', plan, operator)
  expect(made).toMatchObject({ preview: { now: expect.stringContaining('2 read already') } })
  expect(await reads()).toBeGreaterThan(before)
})

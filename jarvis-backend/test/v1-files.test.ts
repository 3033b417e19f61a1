import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import OpenAI from 'openai'
import { expect, test } from 'vitest'
import { folder } from './support/data-dir.ts'
import { createToken } from './support/mcp-client.ts'
import { calls, says, scripted } from './support/scripted-model.ts'
import { startJarvis } from './support/start-jarvis.ts'
import { openaiOf } from './support/v1.ts'

const content = '# Disks\nAll are well.\n'
const writing = [calls(['write_file', { path: 'session/reports/disks.md', content }]), says('Written.')]

/** A JARVIS whose model writes a report for each of this many messages. */
async function writer(messages: number) {
  const dataDir = folder()
  writeFileSync(join(dataDir, 'policy.yaml'), 'workbench: {roots: []}\n')
  const model = scripted(...Array.from({ length: messages }, () => writing).flat())
  const jarvis = await startJarvis({ dataDir, model })
  return { jarvis, client: openaiOf(jarvis) }
}

test('a response cites the files that its run wrote, and OpenAI’s client lists and downloads them', async () => {
  const { jarvis, client } = await writer(1)
  const input = 'Write a report.'
  const stream = client.responses.stream({ model: 'jarvis', input })
  const added: unknown[] = []
  for await (const event of stream)
    if (event.type === 'response.output_text.annotation.added') added.push(event.annotation)
  const answer = await stream.finalResponse()
  const said = answer.output.flatMap((item) => (item.type === 'message' ? item.content : []))
  const [citation] = said.flatMap((part) => (part.type === 'output_text' ? part.annotations : []))
  if (citation?.type !== 'container_file_citation') return expect.fail('The answer cites no file.')
  expect(added).toEqual([citation])
  expect(citation).toMatchObject({ filename: 'disks.md', start_index: 8, end_index: 8 })
  const { container_id, file_id } = citation
  const listed = await client.containers.files.list(container_id)
  expect(listed.data).toMatchObject([
    { id: file_id, object: 'container.file', bytes: 22, container_id, path: 'reports/disks.md', source: 'assistant' },
  ])
  const file = await client.containers.files.content.retrieve(file_id, { container_id })
  expect(await file.text()).toBe(content)
  expect(file.headers.get('content-disposition')).toContain('attachment')
  const again = await client.responses.retrieve(answer.id)
  expect(JSON.stringify(again.output)).toContain(file_id)

  const other = new OpenAI({
    apiKey: createToken(jarvis, { name: 'other' }),
    baseURL: `${jarvis.url}/v1`,
    maxRetries: 0,
  })
  const refused = (asked: Promise<unknown>) =>
    asked.then(
      () => 'answered',
      ({ status }) => status,
    )
  expect(await refused(other.containers.files.content.retrieve(file_id, { container_id }))).toBe(404)
  expect(await refused(other.containers.files.list(container_id).then())).toBe(404)
  expect(await refused(client.containers.files.content.retrieve('cfile_Li4', { container_id }))).toBe(403)
  expect(await refused(client.containers.files.content.retrieve('nothing', { container_id }))).toBe(404)
})

test('an answer of Chat Completions names the files, whole and streamed', async () => {
  const { jarvis, client } = await writer(2)
  const messages = [{ role: 'user' as const, content: 'Write a report.' }]
  const whole = (await client.chat.completions.create({ model: 'jarvis', messages })) as { jarvis?: Named }
  let last: Named | undefined
  for await (const chunk of await client.chat.completions.create({ model: 'jarvis', messages, stream: true }))
    last = (chunk as { jarvis?: Named }).jarvis ?? last
  for (const named of [whole.jarvis, last]) {
    const [file] = named?.files ?? []
    expect(file?.name).toBe('reports/disks.md')
    const headers = { authorization: `Bearer ${client.apiKey}` }
    expect(await (await fetch(jarvis.url + file?.url, { headers })).text()).toBe(content)
  }
})

type Named = { files?: { name: string; url: string }[] }

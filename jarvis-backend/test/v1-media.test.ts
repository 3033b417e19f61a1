import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import OpenAI, { toFile } from 'openai'
import { expect, onTestFinished, test } from 'vitest'
import { createToken } from './support/mcp-client.ts'
import { startJarvis } from './support/start-jarvis.ts'
import { openaiOf } from './support/v1.ts'

const dimensions = 3
/** A server that embeds a text as its length, and hears in a recording its own size. */
async function startMediaServer() {
  const heard: { key: string | undefined; fields: Record<string, unknown> }[] = []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const bytes = Buffer.concat(chunks)
    const json = (status: number, value: unknown) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value))
    if (request.url === '/v1/embeddings') {
      const { input } = JSON.parse(bytes.toString()) as { input: string[] }
      const data = input.map((text, index) => ({ index, embedding: [text.length, 0, 1] }))
      json(200, { data, usage: { prompt_tokens: input.length } })
      return
    }
    const type = request.headers['content-type'] ?? ''
    const form = await new Response(bytes, { headers: { 'content-type': type } }).formData()
    const file = form.get('file') as File
    const { file: _, ...fields } = Object.fromEntries(form)
    heard.push({ key: request.headers.authorization, fields: { ...fields, name: file.name } })
    if (file.size === 13) json(400, { error: { message: 'No speech, key sk-ant-api03-abcdefghijklmnop1234.' } })
    else if (form.get('response_format') === 'text') {
      response.writeHead(200, { 'content-type': 'text/plain' }).end(`${file.size} bytes of speech`)
    } else json(200, { text: `${file.size} bytes of speech` })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, heard }
}

test('a program gets embeddings and transcripts, from what JARVIS itself is set to use', async () => {
  const { url, heard } = await startMediaServer()
  const jarvis = await startJarvis({
    env: {
      OPENAI_BASE_URL: url,
      OPENAI_API_KEY: 'sk-of-the-server',
      JARVIS_EMBEDDINGS: 'openai/embedder',
      JARVIS_TRANSCRIPTIONS: 'openai/whisper-1',
    },
  })
  const client = openaiOf(jarvis)
  const embed = (more: Partial<OpenAI.EmbeddingCreateParams>) =>
    client.embeddings.create({ model: 'jarvis/embeddings', input: 'four', ...more })
  // The SDK asks for base64 by itself, and reads it.
  const { data, usage, model } = await embed({ input: ['four', 'eight888'] })
  expect(data.map(({ index, embedding }) => [index, embedding.length])).toEqual([
    [0, dimensions],
    [1, dimensions],
  ])
  expect(data[0]?.embedding[0]).toBeCloseTo(4 / Math.hypot(4, 1), 6)
  expect([usage.prompt_tokens > 0, model]).toEqual([true, 'jarvis/embeddings'])
  const floats = (await embed({ encoding_format: 'float', model: 'embedder', dimensions })).data[0]?.embedding
  expect(floats?.[0]).toBeCloseTo(4 / Math.hypot(4, 1), 6)
  for (const [wrong, status, param] of [
    [{ dimensions: 2 }, 400, 'dimensions'],
    [{ input: [[1, 2, 3]] }, 400, 'input[0]'],
    [{ input: '' }, 400, 'input[0]'],
    [{ input: Array.from({ length: 257 }, () => 'x') }, 400, 'input'],
    [{ model: 'text-embedding-3-small' }, 404, 'model'],
  ] as [Partial<OpenAI.EmbeddingCreateParams>, number, string][]) {
    await expect(embed(wrong), param).rejects.toMatchObject({ status, param })
  }

  const recording = (size: number, name = 'C:\\mira\\voice.WAV') => toFile(Buffer.alloc(size), name)
  const transcribe = async (more: object, size = 12, name?: string) =>
    client.audio.transcriptions.create({ model: 'jarvis', file: await recording(size, name), ...more })
  expect(await transcribe({ language: 'de' })).toEqual({ text: '12 bytes of speech' })
  expect(await transcribe({ response_format: 'text' })).toBe('12 bytes of speech')
  expect(heard[0]).toEqual({
    key: 'Bearer sk-of-the-server',
    fields: { model: 'whisper-1', language: 'de', name: 'recording.wav' },
  })
  for (const [wrong, size, name, status, param] of [
    [{}, 12, 'voice.exe', 400, 'file'],
    [{}, 0, 'voice.mp3', 400, 'file'],
    [{ response_format: 'poem' }, 12, 'voice.mp3', 400, 'response_format'],
    [{ stream: true }, 12, 'voice.mp3', 400, 'stream'],
    [{}, 26 * 1024 * 1024, 'voice.mp3', 413, null],
  ] as const) {
    await expect(transcribe(wrong, size, name), `${status} ${param}`).rejects.toMatchObject({ status, param })
  }
  const failure = await transcribe({}, 13).catch((error: unknown) => error)
  expect(failure).toMatchObject({ status: 400, code: 'transcription_failed' })
  expect(String(failure)).not.toContain('abcdefghijklmnop')
  expect(heard).toHaveLength(3)
})

test('where nothing is set, both say so in OpenAI’s form', async () => {
  const jarvis = await startJarvis({ env: { JARVIS_EMBEDDINGS: 'none' } })
  const client = new OpenAI({ apiKey: createToken(jarvis), baseURL: `${jarvis.url}/v1` })
  const embedding = client.embeddings.create({ model: 'jarvis/embeddings', input: 'x' })
  await expect(embedding).rejects.toMatchObject({ status: 501, code: 'not_configured', type: 'server_error' })
  const file = await toFile(Buffer.alloc(4), 'voice.mp3')
  await expect(client.audio.transcriptions.create({ model: 'jarvis', file })).rejects.toMatchObject({
    status: 501,
    code: 'not_configured',
    type: 'server_error',
    message: expect.stringContaining('JARVIS_TRANSCRIPTIONS'),
  })
})

import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'

/** Something that speaks Chat Completions: one key, one model. Ends with the test. */
export async function startModelServer({ key, model, says }: { key: string; model: string; says: string }) {
  const asked: { path: string; key: string; headers: IncomingHttpHeaders }[] = []
  const server = createServer((request, response) => {
    const path = (request.url ?? '').replace(/^\/v1/, '')
    const given = (request.headers.authorization ?? '').replace('Bearer ', '')
    asked.push({ path, key: given, headers: request.headers })
    let body = ''
    request.on('data', (chunk: Buffer) => {
      body += chunk.toString()
    })
    request.on('end', (): unknown => {
      const json = (status: number, value: unknown) =>
        response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value))
      if (!request.url?.startsWith('/v1/')) return json(404, { detail: 'Not Found' })
      if (given !== key) return json(401, { error: { message: `Incorrect API key provided: ${given}` } })
      if (path === '/models') return json(200, { data: [{ id: model }] })
      if ((JSON.parse(body) as { model: string }).model !== model) {
        return json(404, { error: { message: 'The model does not exist.', code: 'model_not_found' } })
      }
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      const chunk = (delta: object, finish: string | null) =>
        response.write(`data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`)
      chunk({ role: 'assistant', content: says }, null)
      chunk({}, 'stop')
      return response.end('data: [DONE]\n\n')
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, asked }
}

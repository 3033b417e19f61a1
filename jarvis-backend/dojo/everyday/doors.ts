import type { startTelegram } from '../../test/fake-services/telegram.ts'
import type { Lab } from '../lab.ts'
import type { Conversation } from './conversation.ts'

type Door = Conversation['door']
/** One message. `sessionId`: absent where it begins a conversation. */
type Sent = { says: string; sessionId: string | undefined; file?: { name: string; text: string } | undefined }
/** The run that a message started; without an id where the door waited for its end. */
type Started = { sessionId: string; runId?: string }

/** How long one turn may take, ms. */
const longestMs = 60_000
const person = 88120411

type Posted = { body: object; headers?: Record<string, string> | undefined }

const meta = 'io.modelcontextprotocol'
/** The client of MCP, as each of its calls names it. */
const client = {
  [`${meta}/protocolVersion`]: '2026-07-28',
  [`${meta}/clientInfo`]: { name: 'dojo', version: '1' },
  [`${meta}/clientCapabilities`]: {},
  'jarvis/confirmation': 'wait',
}

/** The ways by which words and calls reach a house. */
export interface Doors {
  send(door: Exclude<Door, 'mcp'>, sent: Sent, task: string): Promise<Started>
  /** Makes one call as a client of MCP, and waits for its end. @returns its session */
  call(task: string, name: string, input: Record<string, unknown>): Promise<string>
}

/** @param telegram the service that the house was opened with; absent: no conversation of it uses Telegram */
export function createDoors(lab: Lab, telegram: Awaited<ReturnType<typeof startTelegram>> | undefined): Doors {
  const tokens = new Map<string, string>()
  async function tokenOf(name: string): Promise<string> {
    const known = tokens.get(name)
    if (known !== undefined) return known
    const body = { name, doors: ['mcp', 'v1', 'api'], scope: 'ask' }
    const { token } = (await lab.rest('POST', '/api/tokens', body)) as { token: string }
    tokens.set(name, token)
    return token
  }
  async function post(path: string, token: string, { body, headers }: Posted) {
    const response = await fetch(lab.url + path, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(longestMs),
    })
    const text = await response.text()
    if (!response.ok) throw new Error(`${path}: ${response.status} ${text}`)
    return text
  }
  let isPaired = false
  async function pair(service: NonNullable<typeof telegram>) {
    if (isPaired) return
    await until(async () => service.polls() > 0)
    const begun = await lab.rest('POST', '/api/channels/telegram/pairings')
    const { code, id } = begun as { code: string; id: string }
    service.start(person, code)
    await until(async () => {
      const { items } = (await lab.rest('GET', '/api/channel-pairings')) as { items: { id: string; opened?: object }[] }
      return items.some((one) => one.id === id && one.opened !== undefined)
    })
    await lab.rest('POST', `/api/channel-pairings/${id}/confirm`, { user: String(person) })
    isPaired = true
  }

  const ways: Record<Exclude<Door, 'mcp'>, (sent: Sent, task: string) => Promise<Started>> = {
    async chat({ says, sessionId, file }) {
      const attachments = file && [await lab.attach(file)]
      const message = { message: says, ...(sessionId && { sessionId }), attachments }
      const reply = (await lab.socket.timeout(longestMs).emitWithAck('chat:send', message)) as { ok: boolean } & Started
      if (!reply.ok) throw new Error(JSON.stringify(reply))
      return reply
    },
    async rest({ says, sessionId }) {
      const id = sessionId ?? ((await lab.rest('POST', '/api/sessions', {})) as { id: string }).id
      return (await lab.rest('POST', `/api/sessions/${id}/messages`, { message: says })) as Started
    },
    async api({ says, sessionId }, task) {
      const token = await tokenOf(task)
      const path = sessionId === undefined ? '/api/sessions' : `/api/sessions/${sessionId}/messages`
      return JSON.parse(await post(path, token, { body: { message: says } })) as Started
    },
    async v1({ says }, task) {
      const body = { model: 'jarvis', messages: [{ role: 'user', content: says }] }
      const headers = { 'jarvis-session': task, 'jarvis-confirmation': 'wait' }
      const reply = await post('/v1/chat/completions', await tokenOf(task), { body, headers })
      return { sessionId: (JSON.parse(reply) as { jarvis: { sessionId: string } }).jarvis.sessionId }
    },
    async telegram({ says, sessionId }) {
      if (telegram === undefined) throw new Error('The house has no Telegram.')
      await pair(telegram)
      telegram.write(person, sessionId === undefined ? `/new ${says}` : says)
      let found: Started | undefined
      await until(async () => {
        const { items } = (await lab.rest('GET', '/api/sessions')) as { items: { id: string }[] }
        for (const { id } of items.filter((one) => sessionId === undefined || one.id === sessionId)) {
          const said = (await lab.entries(id)).findLast(({ type }) => type === 'user')
          if (said?.text === says) found = { sessionId: id, runId: String(said.runId) }
        }
        return found !== undefined
      })
      return found as unknown as Started
    },
  }

  return {
    send: (door, sent, task) => ways[door](sent, task),
    async call(task, name, input) {
      const params = { name, arguments: input, _meta: client }
      const headers = {
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': 'tools/call',
        'mcp-name': name,
      }
      const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params }
      await post('/mcp', await tokenOf(task), { body, headers })
      return `ses_mcp_${task}`
    },
  }
}

/** Looks again and again until it is so. @throws Error after a minute */
export async function until(isSo: () => Promise<boolean>): Promise<void> {
  const end = Date.now() + longestMs
  while (!(await isSo())) {
    if (Date.now() > end) throw new Error(`It did not come within ${longestMs / 1_000} s.`)
    await new Promise((resolve) => setTimeout(resolve, 15))
  }
}

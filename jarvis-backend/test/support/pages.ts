import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'
import { newId } from '../../src/lib/ids.ts'
import type { Reaching } from '../../src/workbench/egress/reach.ts'
import type { scripted } from './scripted-model.ts'
import { someUsage } from './scripted-model.ts'

/** A site on loopback under the name `site.test`, which the production rule for addresses would refuse. Ends with the test. */
export async function serveSite(answer: (asked: IncomingMessage, reply: ServerResponse) => void) {
  const server = createServer(answer)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo
  const reaching: Reaching = {
    resolve: async (host) => (host === 'site.test' ? ['127.0.0.1'] : []),
    isAllowed: (address) => address === '127.0.0.1',
  }
  return { url: `http://site.test:${port}`, reaching }
}

type Turn = Parameters<typeof scripted>[number]

/** A model that calls a tool about the element whose line in the newest result has these words. */
export const callsAbout =
  (toolName: string, words: string, more: Record<string, unknown> = {}): Turn =>
  async (request) => {
    const newest = request.messages.at(-1)
    const text = newest?.role === 'user' ? newest.results.map((result) => result.text).join('\n') : ''
    const line = text.split('\n').find((one) => one.includes(words))
    const ref = /\[(\d+\.\d+)\]/.exec(line ?? '')?.[1]
    if (ref === undefined) throw new Error(`No line has ${words}:\n${text}`)
    return {
      content: [{ type: 'tool_call', toolUseId: newId('tu'), toolName, toolInput: { ref, ...more } }],
      stopReason: 'tool_use',
      usage: someUsage,
    }
  }

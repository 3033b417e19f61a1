import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { type VapidKeys, WebPushSender } from '../../src/channels/web-push/sender.ts'
import { noTarget } from '../../src/gate/effect.ts'
import { defineTool } from '../../src/tools/tool.ts'
import { type Around, listen } from './listen.ts'

/** `push`: of a push service on loopback, its authority and the keys that JARVIS is known by. */
export type JobStart = { dataDir: string; env?: Record<string, string>; push?: { ca: string; keys: VapidKeys } }

/** A server with a tool that writes a line outside of it, which reaches `effect begun` and `effect done`. */
export function serveJobs({ dataDir, env, push }: JobStart, around: Around) {
  const noteDown = defineTool({
    name: 'note_down',
    title: 'Note down',
    description: 'Writes a line outside of JARVIS.',
    tier: 'yellow',
    timeoutMs: 10_000,
    input: z.strictObject({}),
    touches: [{ kind: 'config', on: 'site' }],
    effects: () => [{ kind: 'config', on: 'site', target: noTarget, sentence: 'A line is written.' }],
    ending: () => ({ look: 'Look at the lines.' }),
    async run() {
      around.reach('effect begun')
      appendFileSync(join(dataDir, 'lines'), 'a line\n')
      around.reach('effect done')
      return { text: 'Written.', summary: 'written' }
    },
  })
  const sender = push && new WebPushSender({ ...push, subject: 'mailto:a@example.org', isAllowed: () => true })
  return listen(around, dataDir, { tools: [noteDown], ...(sender && { push: sender }) }, env)
}

import { hashOf } from 'node-kit/canonical'
import { quoted } from 'redaction/visible'
import { z } from 'zod'
import { Mistake } from '../../../gate/effect.ts'
import { type BrowserPorts, browserTool, hostOf, onPage, sessionOf, TabNumber } from './browser-tool.ts'

function askedIn(tab: number, sessionId: string | undefined, { browsers }: BrowserPorts) {
  const known = browsers.tab(tab, sessionId)
  if (known === undefined) throw new Mistake(`tab: there is no tab ${tab}.`)
  if (known.asked === undefined) throw new Mistake('tab: its page has opened no dialog.')
  return known.asked
}

/** A page is blocked while its dialog is open, so every dialog is dismissed at once. An approval is for the next dialog with the same words. */
export const acceptDialog = browserTool({
  name: 'accept_dialog',
  title: 'Accept a dialog of a page',
  description:
    'Every dialog of a page (alert, confirm, prompt) is dismissed and told of. This accepts the next one that says the same: call it, then do again what opened the dialog.',
  tier: 'red',
  timeoutMs: 30_000,
  input: z.strictObject({
    tab: TabNumber,
    text: z.string().max(1_000).optional().describe('What a prompt is answered with.'),
  }),
  output: z.object({ type: z.string(), text: z.string() }),
  touches: [{ kind: 'remote', on: 'web' }],
  effects: ({ tab }, { sessionId }, ports) => {
    const { type, text, pageUrl } = askedIn(tab, sessionId, ports)
    const sentence = `The next dialog (${type}) of ${hostOf(pageUrl)} that says ${quoted(text, 300)} is accepted.`
    const atLeast = { tier: 'red', because: 'A dialog asks before something that matters.', isAlways: true } as const
    return [onPage({ kind: 'remote', url: pageUrl, more: { sentence, deed: 'accept this dialog', atLeast } }, ports)]
  },
  async prepare({ tab }, context, ports) {
    const { type, text, pageUrl } = askedIn(tab, sessionOf(context), ports)
    return {
      now: 'it was dismissed',
      then: 'the next one that says the same is accepted, once',
      undo: { kind: 'none', because: 'JARVIS cannot take back what a site did.' },
      basis: { dialog: hashOf({ type, text, pageUrl }) },
    }
  },
  ending: () => ({ look: 'Nothing is left to look at: the browser ended with JARVIS.' }),
  async run({ tab, text: reply }, context, ports) {
    const asked = askedIn(tab, sessionOf(context), ports)
    if (hashOf({ ...asked }) !== context.preview?.basis?.dialog) throw new Mistake('tab: it is another dialog now.')
    return ports.browsers.onOpen(sessionOf(context), async (browsing) => {
      browsing.use(tab)
      browsing.accept(asked, reply)
      const { type, text } = asked
      return {
        text: `The next dialog (${type}) that says the same is accepted.`,
        summary: 'waits for the dialog',
        data: { type, text },
      }
    })
  },
})
